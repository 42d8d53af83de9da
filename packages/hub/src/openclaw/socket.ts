/** The WebSocket to a gateway of OpenClaw: opens it, verifies the certificate, sends requests and receives events. */
import { once } from 'node:events';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { WebSocket } from 'ws';
import { PincerError } from '../core/errors.ts';
import { readFingerprint } from '../core/fingerprint.ts';
import type { DeviceIdentity } from '../core/ports.ts';
import type { GatewayAddress } from './find.ts';
import {
  connectParams,
  readChallenge,
  readHello,
  type ConnectAuth,
  type Hello,
  type Purpose,
} from './handshake.ts';
import {
  connectRefused,
  notReached,
  OtherCertificateError,
  requestRefused,
  shownAddress,
} from './refusal.ts';

export interface GatewaySocket {
  readonly hello: Hello;
  /** Rejects with SERVER_GONE if the connection ends before the response. */
  request<T>(method: string, params: object): Promise<T>;
  /** Resolves with the close code when the connection has ended. */
  readonly closed: Promise<number>;
  close(): void;
}

export type EventListener = (event: string, payload: unknown) => void;

type Frame =
  | { readonly type: 'event'; readonly event: string; readonly payload: unknown }
  | { readonly type: 'res'; readonly id: string; readonly ok: true; readonly payload: unknown }
  | { readonly type: 'res'; readonly id: string; readonly ok: false; readonly error?: unknown };

const CONNECT_MS = 15_000;
/** After this many ticks without a frame the connection is dead. Pings do not count: `ws` answers them by itself. */
const SILENT_TICKS = 2.5;

interface Waiting {
  resolve(payload: unknown): void;
  /** The error of the response, or a `PincerError`. */
  reject(refusal: unknown): void;
}

export interface ConnectOptions {
  readonly identity: DeviceIdentity;
  readonly auth: ConnectAuth;
  readonly purpose: Purpose;
  /** Cancels the attempt to connect. */
  readonly ending: AbortSignal;
}

/** Connects and authenticates this device. */
export async function openSocket(
  address: GatewayAddress,
  { identity, auth, purpose, ending }: ConnectOptions,
  onEvent: EventListener,
): Promise<GatewaySocket> {
  const { url, how } = address;
  const setting = purpose.role === 'node' ? 'device.gatewayUrl' : 'agent.gatewayUrl';
  const deadline = AbortSignal.any([ending, AbortSignal.timeout(CONNECT_MS)]);
  const socket = await openWebSocket(address, deadline).catch((error: unknown) => {
    throw notReached(url, error, setting);
  });
  const waiting = new Map<string, Waiting>();
  const challenged = Promise.withResolvers<unknown>();
  const closed = Promise.withResolvers<number>();
  const close = (): void => socket.close();
  let isSilent: NodeJS.Timeout | undefined;
  let maxPayload = Number.POSITIVE_INFINITY;
  let problem: Error | undefined;
  /** The id of the `connect` request. Events before its response are ignored. */
  const connectId = crypto.randomUUID();
  let isConnected = false;

  function ask(method: string, params: object, id = crypto.randomUUID()): Promise<unknown> {
    const text = requestText(id, method, params);
    const answer = Promise.withResolvers<unknown>();
    if (socket.readyState !== socket.OPEN) return Promise.reject(gone());
    // A frame that is too large would end the connection, and with it all requests.
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
      if (frame.id === connectId) isConnected = frame.ok;
      // Callers read fields of the payload.
      if (frame.ok) answer?.resolve(frame.payload ?? {});
      else answer?.reject(frame.error);
    } else if (frame.event === 'connect.challenge') challenged.resolve(frame.payload);
    else if (isConnected) onEvent(frame.event, frame.payload);
  }

  /** An exception in a listener would end the process. */
  function onMessage(text: string): void {
    // The gateway may send more after we have closed.
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

  deadline.addEventListener('abort', close);
  try {
    const greeting = await challenged.promise.catch(() => {
      throw notReached(url, problem, setting);
    });
    const challenge = readChallenge(greeting);
    if (challenge === undefined) throw notUnderstood(url, setting);
    const welcome = await ask('connect', connectParams(challenge, identity, auth, purpose), connectId).catch(
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
    deadline.removeEventListener('abort', close);
  }
}

const gone = (): PincerError =>
  new PincerError('SERVER_GONE', 'The connection to the gateway of OpenClaw was lost.', {
    hint: 'Run: openclaw gateway status',
  });

const notUnderstood = (url: string, setting: string): PincerError =>
  new PincerError(
    'SERVER_PROTOCOL',
    `The server at ${shownAddress(url)} does not respond like a known gateway of OpenClaw.`,
    {
      hint: `Check ${setting} and any proxy in between, or update OpenClaw or Pincer.`,
    },
  );

export const tooLarge = (limit?: number): PincerError =>
  new PincerError(
    'ARGUMENT_INVALID',
    `The message is larger than the gateway accepts${limit === undefined ? '' : `: ${limit} bytes`}.`,
    { hint: 'Send a smaller message, or several ones.', data: { maxPayload: limit } },
  );

interface Attached {
  /** Base64. */
  readonly content: string;
}

/**
 * The frame of a request. Base64 is inserted unescaped, because scanning twenty megabytes for characters to escape takes
 * longer than sending them.
 */
export function requestText(id: string, method: string, params: object): string {
  const { attachments = [], ...others } = params as { readonly attachments?: readonly Attached[] };
  const text = JSON.stringify({ type: 'req', id, method, params: others });
  if (attachments.length === 0) return text;
  let list = '';
  // Concatenation makes a rope, which is copied only once, when it is sent.
  for (const { content, ...label } of attachments)
    list += `${list === '' ? '' : ','}${JSON.stringify(label).slice(0, -1)},"content":"${content}"}`;
  return `${text.slice(0, -2)},"attachments":[${list}]}}`;
}

const PROBE_MS = 15_000;

/** Checks that a gateway answers at an address, without sending anything. Rejects if none does. `setting` names the gateway. */
export async function probeGateway(
  address: Pick<GatewayAddress, 'url' | 'fingerprint'>,
  setting: string,
): Promise<void> {
  const { url } = address;
  const signal = AbortSignal.timeout(PROBE_MS);
  let greeting: unknown;
  try {
    const socket = await openWebSocket(address, signal);
    try {
      const [data] = (await once(socket, 'message', { signal })) as [Buffer];
      greeting = payloadIn(data.toString());
    } finally {
      socket.on('error', () => undefined).close();
    }
  } catch (error) {
    throw notReached(url, error, setting);
  }
  if (readChallenge(greeting) === undefined) throw notUnderstood(url, setting);
}

function payloadIn(text: string): unknown {
  try {
    const frame = JSON.parse(text) as { event?: unknown; payload?: unknown } | null;
    return frame?.event === 'connect.challenge' ? frame.payload : undefined;
  } catch {
    return undefined;
  }
}

/** A gateway accepts frames of 25 MiB, and never sends one that is larger than this. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Time limit of the closing handshake. */
const CLOSE_MS = 1_000;

type Place = Pick<GatewayAddress, 'url' | 'fingerprint'>;

/** Sends nothing before the certificate is verified. */
async function openWebSocket(place: Place, signal: AbortSignal): Promise<WebSocket> {
  const wire = await openWire(place, signal);
  const options = {
    createConnection: () => wire,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    closeTimeout: CLOSE_MS,
  };
  return new WebSocket(place.url, options);
}

async function openWire({ url, fingerprint }: Place, signal: AbortSignal): Promise<Socket> {
  const { protocol, hostname, port } = new URL(url);
  const isTls = protocol === 'wss:';
  const host = hostname.replace(/^\[|\]$/g, '');
  const target = { host, port: Number(port || (isTls ? 443 : 80)) };
  const wire = isTls
    ? connectTls({
        ...target,
        // SNI allows names, but no addresses.
        servername: isIP(host) === 0 ? host : '',
        // A pinned certificate is trusted without a CA.
        rejectUnauthorized: fingerprint === undefined,
      })
    : connectPlain(target);
  try {
    await once(wire, isTls ? 'secureConnect' : 'connect', { signal });
    if (isTls && fingerprint !== undefined) assertFrom(wire as TLSSocket, fingerprint);
    return wire;
  } catch (error) {
    wire.on('error', () => undefined).destroy();
    throw error;
  }
}

function assertFrom(wire: TLSSocket, fingerprint: string): void {
  const shown = readFingerprint(wire.getPeerX509Certificate()?.fingerprint256 ?? '');
  if (shown !== fingerprint)
    throw new OtherCertificateError('it presented another certificate than the configured one');
}

/** Requests to the gateway as an operator. The agent owns the connection; the device also uses it. */
export interface OperatorLine {
  readonly isConnected: boolean;
  /** The version of OpenClaw, known after the first request. */
  readonly version: string | undefined;
  request<T>(method: string, params: object): Promise<T>;
}
