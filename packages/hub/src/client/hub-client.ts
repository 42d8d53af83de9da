/** The hub as its clients see it, the command line and the plugin for OpenClaw: the control API with the admin token, MCP with the MCP token. */
import { PincerError, type ErrorCode } from '../core/errors.ts';
import { fromByteText, jsonBytes, type ByteText } from '../core/wire/byte-text.ts';
import { findHub } from '../owner/attach.ts';
import { ensureHub } from '../owner/background.ts';
import type { HubFile } from '../owner/hub-file.ts';
import { adminTokenPath, mcpTokenPath } from '../owner/state-folder.ts';
import { readToken } from '../owner/tokens.ts';
import { request, type HttpRequest, type HttpResponse } from './http.ts';
import { tokenRefused } from './token-refused.ts';

export interface HubClient {
  readonly hubFile: HubFile;
  /** A control action such as `GET status`; resolves to the JSON text of its answer. */
  control(action: ControlAction, input?: ControlInput): Promise<string>;
  /** One message to `/mcp/<server>`. */
  postMcp(server: string, options: Omit<HttpRequest, 'method' | 'url' | 'token'>): Promise<HttpResponse>;
}

export type ControlAction = `${HttpRequest['method']} ${string}`;

export interface ControlInput {
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  /** How long the answer may take; absent: as long as it takes. */
  readonly timeoutMs?: number | undefined;
}

/** Whose hub it is, and the script that one is started with. */
export interface HubPlace {
  readonly home: string;
  readonly entry: string;
}

/** The hub that runs, else one that this starts in the background. */
export const openHub = async ({ home, entry }: HubPlace): Promise<HubClient> =>
  clientOf(home, await ensureHub({ home, launch: { entry } }));

/** The hub that runs; undefined when there is none. */
export const findHubClient = ({ home }: Pick<HubPlace, 'home'>): HubClient | undefined => {
  const hubFile = findHub(home);
  return hubFile && clientOf(home, hubFile);
};

export const clientOf = (home: string, hubFile: HubFile): HubClient => ({
  hubFile,
  async control(action, { query = {}, body, timeoutMs } = {}) {
    const space = action.indexOf(' ');
    const path = adminTokenPath(home);
    const search = new URLSearchParams(query).toString();
    const response = await request({
      method: action.slice(0, space) as HttpRequest['method'],
      url: `${hubFile.endpoints.control}${action.slice(space + 1)}${search === '' ? '' : `?${search}`}`,
      token: tokenIn(path),
      body: body === undefined ? undefined : jsonBytes(body),
      timeoutMs,
    });
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

/** Of a control action whose answer has the shape `T`. */
export const ask = async <T>(hub: HubClient, action: ControlAction, input?: ControlInput): Promise<T> =>
  JSON.parse(await hub.control(action, input)) as T;

function tokenIn(path: string): string {
  const token = readToken(path);
  if (token !== undefined) return token;
  throw new PincerError('TOKEN_UNREADABLE', `There is no token in ${path}.`, {
    hint: 'End the hub and start it again: it makes the file anew.',
  });
}

function controlFailure(body: ByteText): PincerError {
  try {
    const { error } = JSON.parse(fromByteText(body)) as { error: ControlError };
    const { code, message, hint, data } = error;
    return new PincerError(code ?? 'INTERNAL', message, { hint, data });
  } catch {
    return new PincerError('INTERNAL', `The hub answered something unexpected: ${body.slice(0, 200)}`);
  }
}

interface ControlError {
  readonly code?: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  readonly data?: Record<string, unknown>;
}
