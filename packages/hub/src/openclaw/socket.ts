/** Requests and events on a gateway's WebSocket. */
import type { DeviceIdentity } from '../core/ports.ts';
import { PincerError } from '../core/errors.ts';
import type { GatewayAddress } from './find.ts';
import { connectParams, type ConnectAuth, type Hello, type Purpose } from './handshake.ts';
import { notReached } from './not-reached.ts';
import { readChallenge, readHello } from './read-greeting.ts';
import { connectRefused, requestRefused } from './refusal.ts';
import { shownAddress } from './shown-address.ts';
import { openWebSocket } from './web-socket.ts';

export interface GatewaySocket {
  readonly hello: Hello;
  /** Rejects with SERVER_GONE where the connection ended before the answer came. */
  request<T>(method: string, params: object): Promise<T>;
  /** Resolves when the connection has ended, with the code that the other side gave. */
  readonly closed: Promise<number>;
  close(): void;
}

export type EventListener = (event: string, payload: unknown) => void;

type Frame =
  | { readonly type: 'event'; readonly event: string; readonly payload: unknown }
  | { readonly type: 'res'; readonly id: string; readonly ok: true; readonly payload: unknown }
  | { readonly type: 'res'; readonly id: string; readonly ok: false; readonly error?: unknown };

const CONNECT_MS = 15_000;
/** After so many ticks without a frame the connection is dead. Pings do not count: they are answered below us, and not shown. */
const SILENT_TICKS = 2.5;

interface Waiting {
  resolve(payload: unknown): void;
  /** With what the gateway said, or with an error of ours. */
  reject(refusal: unknown): void;
}

/** Whoever wants to be let in. */
export interface Visitor {
  readonly identity: DeviceIdentity;
  readonly auth: ConnectAuth;
  readonly purpose: Purpose;
  /** Aborted when nobody wants in any more. */
  readonly ending: AbortSignal;
}

/** Connected, and known to the gateway. */
export async function openSocket(
  address: GatewayAddress,
  { identity, auth, purpose, ending }: Visitor,
  onEvent: EventListener,
): Promise<GatewaySocket> {
  const { url, how } = address;
  const setting = purpose.role === 'node' ? 'device.gatewayUrl' : 'agent.gatewayUrl';
  const patience = AbortSignal.any([ending, AbortSignal.timeout(CONNECT_MS)]);
  const socket = await openWebSocket(address, patience).catch((error: unknown) => {
    throw notReached(url, error, setting);
  });
  const waiting = new Map<string, Waiting>();
  const challenged = Promise.withResolvers<unknown>();
  const closed = Promise.withResolvers<number>();
  const close = (): void => socket.close();
  let isSilent: NodeJS.Timeout | undefined;
  let maxPayload = Number.POSITIVE_INFINITY;
  let problem: Error | undefined;
  /** Of the request to be let in: what a gateway says before it has answered that counts for nothing. */
  const knock = crypto.randomUUID();
  let isIn = false;

  function ask(method: string, params: object, id = crypto.randomUUID()): Promise<unknown> {
    const text = requestText(id, method, params);
    const answer = Promise.withResolvers<unknown>();
    if (socket.readyState !== socket.OPEN) return Promise.reject(gone());
    // A frame that is too large ends the connection, and with it everybody's calls.
    if (Buffer.byteLength(text) > maxPayload) return Promise.reject(tooLarge(maxPayload));
    waiting.set(id, answer);
    socket.send(text);
    return answer.promise;
  }

  function onFrame(frame: Frame): void {
    isSilent?.refresh();
    if (frame.type === 'res') {
      const answer = waiting.get(frame.id);
      waiting.delete(frame.id);
      if (frame.id === knock) isIn = frame.ok;
      // Callers look for fields in it.
      if (frame.ok) answer?.resolve(frame.payload ?? {});
      else answer?.reject(frame.error);
    } else if (frame.event === 'connect.challenge') challenged.resolve(frame.payload);
    else if (isIn) onEvent(frame.event, frame.payload);
  }

  /** What is thrown in a listener would end the process. */
  function onMessage(text: string): void {
    // The other side goes on sending until it notices that we have closed.
    if (socket.readyState !== socket.OPEN) return;
    try {
      onFrame(JSON.parse(text) as Frame);
    } catch {
      close();
    }
  }

  socket.on('message', (data: Buffer) => onMessage(data.toString()));
  socket.on('close', (code) => {
    clearTimeout(isSilent);
    challenged.reject(gone());
    for (const answer of waiting.values()) answer.reject(gone());
    waiting.clear();
    closed.resolve(code);
  });
  // An error is followed by a close.
  socket.on('error', (error) => (problem = error));

  patience.addEventListener('abort', close);
  try {
    const greeting = await challenged.promise.catch(() => {
      throw notReached(url, problem, setting);
    });
    const challenge = readChallenge(greeting);
    if (challenge === undefined) throw notUnderstood(url, setting);
    const welcome = await ask('connect', connectParams(challenge, identity, auth, purpose), knock).catch(
      (error: unknown) => {
        throw PincerError.is(error) ? notReached(url, error, setting) : connectRefused(error, how);
      },
    );
    const hello = readHello(welcome);
    if (hello === undefined) throw notUnderstood(url, setting);
    ({ maxPayload } = hello.policy);
    isSilent = setTimeout(close, hello.policy.tickIntervalMs * SILENT_TICKS).unref();
    return {
      hello,
      closed: closed.promise,
      close,
      request: <T>(method: string, params: object) =>
        ask(method, params).catch((error: unknown) => {
          throw PincerError.is(error) ? error : requestRefused(method, error);
        }) as Promise<T>,
    };
  } catch (error) {
    close();
    throw error;
  } finally {
    patience.removeEventListener('abort', close);
  }
}

const gone = (): PincerError =>
  new PincerError('SERVER_GONE', 'The connection to the gateway of OpenClaw was lost.', {
    hint: 'Run openclaw gateway status.',
  });

export const notUnderstood = (url: string, setting: string): PincerError =>
  new PincerError(
    'SERVER_PROTOCOL',
    `What answers at ${shownAddress(url)} is no gateway of OpenClaw that we know.`,
    {
      hint: `Check ${setting}, and what stands between; or update OpenClaw, or Pincer.`,
    },
  );

export const tooLarge = (limit?: number): PincerError =>
  new PincerError(
    'ARGUMENT_INVALID',
    `This is more than the gateway takes at once${limit === undefined ? '' : `: ${limit} bytes`}.`,
    { hint: 'Send less, or in several messages.', data: { maxPayload: limit } },
  );

/** The frame of a request. */
interface Attached {
  /** Base64. */
  readonly content: string;
}

/**
 * Base64 is put in as it is: nothing of it is escaped in JSON, and to look for that in twenty megabytes takes longer than
 * to send them.
 */
export function requestText(id: string, method: string, params: object): string {
  const { attachments = [], ...others } = params as { readonly attachments?: readonly Attached[] };
  const text = JSON.stringify({ type: 'req', id, method, params: others });
  if (attachments.length === 0) return text;
  let list = '';
  // Added, not joined: so it is copied once, when it is sent.
  for (const { content, ...label } of attachments)
    list += `${list === '' ? '' : ','}${JSON.stringify(label).slice(0, -1)},"content":"${content}"}`;
  return `${text.slice(0, -2)},"attachments":[${list}]}}`;
}
