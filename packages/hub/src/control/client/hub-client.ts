/**
 * The client of the hub, for the command line and OpenClaw's plugin. It uses the control API with the admin token, and
 * MCP with the MCP token.
 */
import { PincerError } from '../../core/errors.ts';
import { CONTROL_STREAM } from '../../core/protocol.ts';
import { type ByteText, fromByteText, jsonBytes } from '../../core/wire/byte-text.ts';
import { ensureHub } from '../../owner/background.ts';
import { findHub, type HubFile } from '../../owner/hub-file.ts';
import { adminTokenPath, mcpTokenPath } from '../../owner/state-folder.ts';
import { readToken } from '../../owner/tokens.ts';
import type { ControlFailure, ControlRoute, EventOf, RequestOf, ResponseOf } from '../contract/contract.ts';
import type { ProbeReport } from '../contract/servers.ts';
import { type HttpRequest, type HttpResponse, request, tokenRefused } from './http.ts';

export interface HubClient {
  readonly hubFile: HubFile;
  /** Returns the JSON text of the answer. Use `ask` or `askText` instead, which are typed by the contract. */
  control(route: ControlRoute, input?: ControlInput): Promise<string>;
  /** Sends one message to `/mcp/<server>`. */
  postMcp(server: string, options: Omit<HttpRequest, 'method' | 'url' | 'token'>): Promise<HttpResponse>;
}

export interface OpenedHub extends HubClient {
  /** Whether this process started the hub. */
  readonly wasStarted: boolean;
}

interface AskOptions {
  /** How long the answer may take. Default: unlimited. */
  readonly timeoutMs?: number | undefined;
  /** Aborting closes the connection. */
  readonly signal?: AbortSignal | undefined;
}

export interface ControlInput extends AskOptions {
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  /** Called with the events that come before the answer. */
  onEvent?(event: object): void;
}

/** The request of a route, typed by the contract. */
type AskInput<Route extends ControlRoute> = RequestOf<Route> &
  AskOptions & { onEvent?(event: EventOf<Route>): void };

/** Optional if the route needs no input. */
type AskArguments<Route extends ControlRoute> =
  {} extends AskInput<Route> ? [input?: AskInput<Route>] : [input: AskInput<Route>];

/** The state folder of the hub, and the script that starts a hub. */
interface HubPlace {
  readonly home: string;
  readonly entry: string;
}

/** Returns the running hub, or starts one in the background. Aborting `signal` cancels the start. */
export async function openHub({ home, entry }: HubPlace, signal?: AbortSignal): Promise<OpenedHub> {
  const before = findHub(home);
  const hubFile = before ?? (await ensureHub({ home, launch: { entry }, signal }));
  return { ...clientOf(home, hubFile), wasStarted: before === undefined };
}

/** Returns the running hub, or undefined. */
export const findHubClient = ({ home }: Pick<HubPlace, 'home'>): HubClient | undefined => {
  const hubFile = findHub(home);
  return hubFile && clientOf(home, hubFile);
};

export const clientOf = (home: string, hubFile: HubFile): HubClient => ({
  hubFile,
  async control(route, { query = {}, body, timeoutMs, signal, onEvent } = {}) {
    const space = route.indexOf(' ');
    const path = adminTokenPath(home);
    const search = new URLSearchParams(query).toString();
    const response = await request({
      method: route.slice(0, space) as HttpRequest['method'],
      url: `${hubFile.endpoints.control}${route.slice(space + 1)}${search === '' ? '' : `?${search}`}`,
      token: tokenIn(path),
      body: body === undefined ? undefined : jsonBytes(body),
      timeoutMs,
      signal,
      ...(onEvent !== undefined && streaming(onEvent)),
    });
    if (response.type === CONTROL_STREAM) return lastLine(response.body);
    if (response.status === 200) return fromByteText(response.body);
    throw response.status === 401 ? tokenRefused(path) : controlFailure(response.body);
  },
  async postMcp(server, options) {
    const path = mcpTokenPath(home);
    const url = `${hubFile.endpoints.mcp}/${encodeURIComponent(server)}`;
    const response = await request({ ...options, method: 'POST', url, token: tokenIn(path) });
    if (response.status === 401) throw tokenRefused(path);
    return response;
  },
});

/** Sends a request of the contract. The answer is not parsed by its schema: that would load zod. */
export const ask = async <Route extends ControlRoute>(
  hub: HubClient,
  route: Route,
  ...input: AskArguments<Route>
): Promise<ResponseOf<Route>> => JSON.parse(await askText(hub, route, ...input)) as ResponseOf<Route>;

/** Like `ask`, but returns the JSON text, so that no number is rounded. */
export function askText<Route extends ControlRoute>(
  hub: HubClient,
  route: Route,
  ...[input]: AskArguments<Route>
): Promise<string> {
  // The contract types the input by its route; the transport sends all of them in the same way.
  const { query, ...rest } = (input ?? {}) as Omit<ControlInput, 'query'> & { query?: Query };
  return hub.control(route, query === undefined ? rest : { ...rest, query: inUrl(query) });
}

type Query = Readonly<Record<string, string | number | undefined>>;

/** Leaves out undefined parameters. */
const inUrl = (query: Query): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
  );

function tokenIn(path: string): string {
  const token = readToken(path);
  if (token !== undefined) return token;
  throw new PincerError('TOKEN_UNREADABLE', `There is no token in ${path}.`, {
    hint: 'Stop the hub, then start it, which creates the file: pincer up',
  });
}

/** Reports events as they arrive. */
function streaming(onEvent: NonNullable<ControlInput['onEvent']>): Pick<HttpRequest, 'accept' | 'onData'> {
  let rest: ByteText = '';
  return {
    accept: CONTROL_STREAM,
    onData(piece, { type }) {
      if (type !== CONTROL_STREAM) return;
      const lines = (rest + piece).split('\n');
      rest = lines.pop()!;
      for (const line of lines)
        if (line.startsWith(EVENT)) onEvent((JSON.parse(fromByteText(line)) as { event: object }).event);
    },
  };
}

const EVENT = '{"event":';
const ANSWER = /^\{"status":(\d+),"answer":([^]*)\}\n$/;

/** Returns the answer as text, so that no number is rounded. */
function lastLine(body: ByteText): string {
  const [, status, answer] = ANSWER.exec(body.slice(body.lastIndexOf('\n', body.length - 2) + 1)) ?? [];
  if (answer === undefined)
    throw new PincerError('HUB_UNREACHABLE', 'The hub ended before it answered.', {
      hint: 'Check the hub: pincer doctor',
      data: { sent: true },
    });
  if (status === '200') return fromByteText(answer);
  throw controlFailure(answer);
}

function controlFailure(body: ByteText): PincerError {
  try {
    const { error } = JSON.parse(fromByteText(body)) as ControlFailure;
    const { code, message, hint, data } = error;
    return new PincerError(code ?? 'INTERNAL', message, { hint, data });
  } catch {
    return new PincerError('INTERNAL', `The hub sent an unexpected answer: ${body.slice(0, 200)}`);
  }
}

export interface Probed {
  readonly name: string;
  readonly report?: ProbeReport;
  readonly failure?: PincerError;
}

/** Lets the hub connect to servers and refresh their offers. */
export const probeAll = (hub: HubClient, names: readonly string[]): Promise<Probed[]> =>
  Promise.all(
    names.map(async (name) => {
      try {
        return { name, report: await ask(hub, 'POST probe', { body: { name } }) };
      } catch (error) {
        return { name, failure: PincerError.from(error) };
      }
    }),
  );
