/** Asks the hub for its decision before a call, and lets OpenClaw ask the person if an approval is needed. */
import { ask, inChatTerms, PincerError, type AskedAhead, type HubClient } from 'pincer/client';
import { credentialName } from '../entries/credentials.ts';
import type { OwnEntry } from '../entries/entry.ts';
import { credentialOfSender } from '../entries/per-caller.ts';
import type { HostHooks, Logger, ToolCallRuling } from '../host.ts';
import type { Runtime } from '../hub/keeper.ts';
import { approvalOf, ARGUMENTS_ROOM, elsewhere, questionText } from './approval.ts';
import { findTool, hostName } from './tool-name.ts';

export type CallEvent = Parameters<HostHooks['before_tool_call']>[0];
export type CallContext = Parameters<HostHooks['before_tool_call']>[1];

interface Asking {
  /** Returns undefined if the hub allows the call, or will ask by itself when the call comes. */
  ask(entry: OwnEntry, event: CallEvent, context: CallContext): Promise<ToolCallRuling | undefined>;
}

const ASK_MS = 5_000;

export function createAsking(runtime: Runtime, logger: Logger): Asking {
  const unattended = createUnattendedSessions(Date.now);
  const warn = (message: string): void => logger.warn(message);

  async function rule(
    hub: HubClient,
    asked: Promise<AskedAhead | undefined>,
    { agentId, sessionKey, abortSignal }: CallContext,
  ): Promise<ToolCallRuling | undefined> {
    const answer = await within(asked, ASK_MS, abortSignal);
    if (answer === undefined) void asked.then((late) => forget(hub, late)).catch(() => undefined);
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
        onUnattended: () => unattended.add(sessionKey),
        warn,
      }),
    };
  }

  return {
    async ask(entry, event, context) {
      const by = callerOf(entry, context);
      if (by === undefined || unattended.has(context.sessionKey)) return undefined;
      try {
        const hub = await runtime.hub();
        return await rule(hub, askAhead(hub, { entry, event, by }), context);
      } catch (error) {
        warn(
          `Could not ask the hub about ${event.toolName} before the call: ${PincerError.from(error).message}`,
        );
        return undefined;
      }
    },
  };
}

/** The same text as the hub's error for a refused call. */
const reasonOf = ({ message, hint }: { message: string; hint?: string | undefined }): string =>
  inChatTerms(hint === undefined ? message : `${message}\n${hint}`);

/** The name of the credential that the call will use, if known. */
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

/** Withdraws a question whose answer came too late to be shown. */
async function forget(hub: HubClient, answer: AskedAhead | undefined): Promise<void> {
  if (answer?.decision === 'ask') await ask(hub, 'DELETE approvals', { query: { id: answer.id } });
}

/** The request that the hub will receive for a call. */
interface HubRequest {
  readonly method: 'tools/call' | 'prompts/get' | 'resources/read';
  readonly params: Readonly<Record<string, unknown>>;
}

type Params = Readonly<Record<string, unknown>>;

/** Returns undefined if the request cannot be derived, or is one of the host's lists. */
// oxlint-disable-next-line max-params -- one call
export function requestOf(
  toolName: string,
  params: Params,
  key: string,
  tools: readonly string[],
): HubRequest | undefined {
  const tool = findTool(toolName, key, tools);
  if (tool !== undefined) return { method: 'tools/call', params: { name: tool, arguments: params } };
  // A tool of the server takes precedence over one that the host adds.
  const isAdded = (name: string): boolean =>
    toolName === hostName(key, name) && !tools.some((other) => hostName(key, other) === toolName);
  if (isAdded('resources_read')) return { method: 'resources/read', params: { uri: params['uri'] } };
  if (isAdded('prompts_get')) return { method: 'prompts/get', params: promptOf(params) };
  return undefined;
}

/** The host omits empty arguments. */
function promptOf({ name, arguments: given }: Params): Params {
  const isEmpty = typeof given !== 'object' || given === null || Object.keys(given).length === 0;
  return isEmpty ? { name } : { name, arguments: given };
}

/**
 * Conversations in which OpenClaw cannot ask a person: those of subagents, and for a while those in which it just failed
 * to. There the hub asks by itself.
 */
interface UnattendedSessions {
  has(sessionKey: string | undefined): boolean;
  add(sessionKey: string | undefined): void;
}

const FORGET_MS = 5 * 60_000;
const MAX_SESSIONS = 1_000;
/** Runs of subagents may not ask for approvals. */
const SUBAGENT = ':subagent:';

export function createUnattendedSessions(now: () => number): UnattendedSessions {
  const since = new Map<string, number>();
  return {
    has(sessionKey = '') {
      return sessionKey.includes(SUBAGENT) || now() - (since.get(sessionKey) ?? -Infinity) < FORGET_MS;
    },
    add(sessionKey = '') {
      since.delete(sessionKey);
      since.set(sessionKey, now());
      const [oldest] = since.keys();
      if (since.size > MAX_SESSIONS) since.delete(oldest!);
    },
  };
}

/** Resolves with the result, or with undefined after `ms` or an abort. Rejects if the work fails in time. */
export async function within<T>(work: Promise<T>, ms: number, signal?: AbortSignal): Promise<T | undefined> {
  const aborted = Promise.withResolvers<undefined>();
  const giveUp = (): void => aborted.resolve(undefined);
  const timer = setTimeout(giveUp, ms).unref();
  signal?.addEventListener('abort', giveUp);
  if (signal?.aborted === true) giveUp();
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
    // A later failure must not be unhandled.
    work.catch(() => undefined);
  }
}
