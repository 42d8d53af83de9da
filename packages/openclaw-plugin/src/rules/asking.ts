/** Asks the hub what will become of a call, and OpenClaw to ask the person where that is needed. */
import { ask, inChatTerms, PincerError, type AskedAhead, type HubClient } from 'pincer/client';
import { credentialName } from '../entries/credentials.ts';
import type { OwnEntry } from '../entries/entry.ts';
import { credentialOfSender } from '../entries/per-caller.ts';
import type { HostHooks, Logger, ToolCallRuling } from '../host.ts';
import type { Runtime } from '../hub/runtime.ts';
import { approvalOf } from './approval.ts';
import { ARGUMENTS_ROOM, elsewhere, questionText } from './question-text.ts';
import { requestOf } from './request.ts';
import { createUnasked } from './unasked.ts';
import { within } from './within.ts';

export type CallEvent = Parameters<HostHooks['before_tool_call']>[0];
export type CallContext = Parameters<HostHooks['before_tool_call']>[1];

export interface Asking {
  /** Undefined: the hub lets it run, or asks in its own way when the call comes. */
  ask(entry: OwnEntry, event: CallEvent, context: CallContext): Promise<ToolCallRuling | undefined>;
}

const ASK_MS = 5_000;

export function createAsking(runtime: Runtime, logger: Logger): Asking {
  const unasked = createUnasked(Date.now);
  const warn = (message: string): void => logger.warn(message);

  async function rule(
    hub: HubClient,
    foretold: Promise<AskedAhead | undefined>,
    { agentId, sessionKey, abortSignal }: CallContext,
  ): Promise<ToolCallRuling | undefined> {
    const answer = await within(foretold, ASK_MS, abortSignal);
    if (answer === undefined) void foretold.then((late) => forget(hub, late)).catch(() => undefined);
    if (answer?.decision === 'deny') return { block: true, blockReason: reasonOf(answer) };
    if (answer?.decision !== 'ask') return undefined;
    const text = questionText(answer, agentId);
    if (text === undefined) return { block: true, blockReason: elsewhere(answer) };
    return {
      requireApproval: approvalOf({
        hub,
        question: answer,
        text,
        signal: abortSignal,
        onNobody: () => unasked.add(sessionKey),
        warn,
      }),
    };
  }

  return {
    async ask(entry, event, context) {
      const by = callerOf(entry, context);
      if (by === undefined || unasked.has(context.sessionKey)) return undefined;
      try {
        const hub = await runtime.hub();
        return await rule(hub, askAhead(hub, { entry, event, by }), context);
      } catch (error) {
        warn(`The hub was not asked about ${event.toolName} beforehand: ${PincerError.from(error).message}`);
        return undefined;
      }
    },
  };
}

/** As the hub answers a call that fails. */
const reasonOf = ({ message, hint }: { message: string; hint?: string | undefined }): string =>
  inChatTerms(hint === undefined ? message : `${message}\n${hint}`);

/** The name of the credential that the call will come with, where that can be told. */
function callerOf({ server, isPerCaller }: OwnEntry, { requester }: CallContext): string | undefined {
  if (!isPerCaller) return credentialName(server);
  const { senderId, channel, accountId } = requester ?? {};
  if (senderId === undefined || channel === undefined) return undefined;
  return credentialOfSender(server, { senderId, channel, account: accountId }).name;
}

interface Announced {
  readonly entry: OwnEntry;
  readonly event: CallEvent;
  readonly by: string;
}

async function askAhead(
  hub: HubClient,
  { entry: { key, server }, event: { toolName, params }, by }: Announced,
): Promise<AskedAhead | undefined> {
  const { tools } = await ask(hub, 'GET offer', { query: { server } });
  const request = requestOf(toolName, params, key, tools);
  if (request === undefined) return undefined;
  return ask(hub, 'POST approvals/ask', {
    body: { server, by, ...request, room: ARGUMENTS_ROOM },
  });
}

/** It was asked too late to be shown. */
async function forget(hub: HubClient, answer: AskedAhead | undefined): Promise<void> {
  if (answer?.decision === 'ask') await ask(hub, 'DELETE approvals', { query: { id: answer.id } });
}
