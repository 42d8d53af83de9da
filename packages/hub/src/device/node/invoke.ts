/** A command of the gateway on the way of every call: catalog, policy, approvals, record. */
import { DEVICE_SOURCE, type Caller, type OpenClawWord } from '../../core/caller.ts';
import type { Calls } from '../../core/call/calls.ts';
import { STRANGER } from '../../core/client.ts';
import { isRecord } from '../../core/is-record.ts';
import type { CallerExchange } from '../../core/request.ts';
import { parseBytes, quoted, type ByteText } from '../../core/wire/byte-text.ts';
import { NO_SUCH_METHOD } from '../../core/wire/no-such-method.ts';
import { memberAt } from '../../core/wire/member-at.ts';
import type { Invocation, InvocationProgress, InvocationResult } from './parts.ts';
import { CALL_COMMAND } from './published.ts';
import { readParams } from './read-params.ts';
import { refusal, resultOf } from './result.ts';

export interface GatewayInvokeParts {
  readonly calls: Pick<Calls, 'start'>;
  /** Whether agents of the gateway get this tool of another source. */
  isPublished(server: string, tool: string): boolean;
}

/** The caller of all that a paired gateway asks for. */
const GATEWAY_CALLER = 'gateway';

interface Target {
  readonly server: string;
  readonly tool: string;
  readonly arguments: ByteText;
  readonly word: OpenClawWord;
}

export function createInvoke(
  parts: GatewayInvokeParts,
): (invocation: Invocation) => Promise<InvocationResult> {
  return async (invocation) => {
    const target = targetOf(invocation, parts);
    if (!('mistake' in target)) return call(target, invocation, parts);
    return { ok: false, error: refusal(invocation.command, 'INVALID_REQUEST', target.mistake) };
  };
}

function targetOf(
  { command, paramsJSON, session }: Invocation,
  { isPublished }: GatewayInvokeParts,
): Target | { readonly mistake: string } {
  const params = readParams(command, paramsJSON, session);
  if ('mistake' in params) return params;
  if (command !== CALL_COMMAND) return { server: DEVICE_SOURCE, tool: command, ...params };
  const { server, tool } = parseBytes(params.arguments) as Record<string, unknown>;
  if (typeof server !== 'string' || typeof tool !== 'string') return { mistake: 'server and tool required' };
  if (!isPublished(server, tool)) return { mistake: 'No such tool is offered here.' };
  const given = memberAt(params.arguments, ['arguments']) ?? '{}';
  if (!isRecord(parseBytes(given))) return { mistake: 'arguments must be an object' };
  return { server, tool, arguments: given, word: params.word };
}

function call(
  { server, tool, arguments: given, word }: Target,
  { command, signal, timeoutMs, progress }: Invocation,
  { calls }: GatewayInvokeParts,
): Promise<InvocationResult> {
  const { promise, resolve } = Promise.withResolvers<InvocationResult>();
  const exchange: CallerExchange = {
    notify: (method, params) => tell(method, params, progress),
    // Nobody sits at a node who could answer what a server asks its client.
    ask(question) {
      question.answer({ error: NO_SUCH_METHOD });
      return { withdraw: () => undefined };
    },
    pause: () => undefined,
    goOn: () => !signal.aborted,
    settle: (outcome) => resolve(resultOf(outcome, command)),
  };
  const running = calls.start(
    {
      caller: callerOf(server, word),
      surface: 'gateway',
      mediaBytes: 'structured',
      view: server,
      method: 'tools/call',
      params: [
        { key: 'name', raw: quoted(tool) },
        { key: 'arguments', raw: given },
      ],
      meta: [{ key: 'progressToken', raw: '0' }],
      era: 'legacy',
      client: STRANGER,
      timeoutMs,
    },
    exchange,
  );
  const cancel = (): void => running.cancel('the gateway no longer wants it');
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  return promise.finally(() => signal.removeEventListener('abort', cancel));
}

/** A gateway never orders something from OpenClaw: that would be itself. */
const callerOf = (server: string, openClaw: OpenClawWord): Caller => ({
  id: GATEWAY_CALLER,
  name: GATEWAY_CALLER,
  scopes: { servers: [server], noOrders: true },
  openClaw,
});

function tell(method: string, params: ByteText, progress: (said: InvocationProgress) => void): void {
  if (method !== 'notifications/progress') return;
  const { progress: done, total, message } = parseBytes(params) as Record<string, unknown>;
  if (typeof done !== 'number') return;
  progress({
    progress: done,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message }),
  });
}
