/** Creates and deletes sessions over HTTP. */
import { AppError, messageOf } from './error.ts';
import { pageOrigin } from './page.ts';
import type { RegisteredTool } from './tool-set.ts';
import { authorizationOf } from './wire.ts';

export interface AppSession {
  readonly sessionId: string;
  readonly bridgeUrl: string;
  readonly mcpUrl: string;
}

export interface Registration {
  readonly device_id?: string;
  readonly device_name?: string;
  readonly app_version?: string;
  readonly chat_id?: string;
  readonly tools: readonly RegisteredTool[];
}

export interface SessionApi {
  readonly url: string;
  readonly token: string;
  readonly requestMs: number;
}

/** A failure that may be temporary, unlike an AppError. The message includes the hint. */
export class TryAgain extends Error {
  readonly afterMs: number;

  constructor(error: AppError, afterMs = 0) {
    super(error.hint === undefined ? error.message : `${error.message} ${error.hint}`, { cause: error });
    this.afterMs = afterMs;
  }
}

export async function createSession(api: SessionApi, registration: Registration): Promise<AppSession> {
  const response = await ask(api, 'POST', '', JSON.stringify(registration));
  const body = await bodyOf(response);
  if (!response.ok) throw refusal(api, response, body);
  const { mcpSessionId, bridge_url: bridgeUrl, mcp_url: mcpUrl } = body;
  if (typeof mcpSessionId !== 'string' || typeof bridgeUrl !== 'string' || typeof mcpUrl !== 'string')
    throw noProxy(api.url);
  return { sessionId: mcpSessionId, bridgeUrl, mcpUrl };
}

/** Succeeds if the session no longer exists. */
export async function deleteSession(api: SessionApi, sessionId: string): Promise<void> {
  const response = await ask(api, 'DELETE', `/${encodeURIComponent(sessionId)}`);
  const body = await bodyOf(response);
  if (!response.ok && response.status !== 404) throw refusal(api, response, body);
}

// oxlint-disable-next-line max-params -- the API, the method, the path and the body
async function ask(api: SessionApi, method: string, path: string, body?: string): Promise<Response> {
  try {
    return await fetch(`${api.url}/v1/chat/sessions${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(api.token !== '' && { authorization: authorizationOf(api.token) }),
      },
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(api.requestMs),
    });
  } catch (error) {
    throw new TryAgain(unreachable(api.url, error));
  }
}

type Body = Readonly<Record<string, unknown>>;

async function bodyOf(response: Response): Promise<Body> {
  try {
    const value: unknown = await response.json();
    return typeof value === 'object' && value !== null ? (value as Body) : {};
  } catch {
    return {};
  }
}

/** A browser does not tell a page whether the hub is down or refuses its origin, so the hint names both. */
function unreachable(url: string, cause: unknown): AppError {
  const origin = pageOrigin();
  return new AppError('HUB_UNREACHABLE', `No hub answers at ${url}.`, {
    hint:
      origin === undefined
        ? 'Start it with: pincer up'
        : `Start it with: pincer up. If it runs, add ${origin} to proxy.apps[].origins in its configuration.`,
    cause,
  });
}

const noProxy = (url: string): AppError =>
  new AppError('HUB_UNREACHABLE', `The server at ${url} is not the app proxy.`, {
    hint: 'Use the URL that `pincer up` prints for the app proxy, http://127.0.0.1:8000 by default.',
  });

const PERMANENT: ReadonlyMap<number, (url: string) => AppError> = new Map([
  [401, (url: string) => tokenRefused(url)],
  [
    403,
    (url: string) =>
      new AppError('ORIGIN_REFUSED', `The hub at ${url} does not accept this app from its origin.`, {
        hint: 'Add the origin to proxy.apps[].origins, or the host of the url to proxy.allowedHosts.',
      }),
  ],
  [404, noProxy],
]);

export const tokenRefused = (url: string): AppError =>
  new AppError('TOKEN_INVALID', `The hub at ${url} does not accept the token of this app.`, {
    hint: 'Use the token whose hash is in proxy.apps[], or the one in OPENCLAW_PROXY_APP_TOKEN.',
  });

function refusal({ url }: SessionApi, response: Response, body: Body): AppError | TryAgain {
  const { status } = response;
  const error = (body['error'] ?? {}) as { code?: unknown; message?: unknown; hint?: unknown };
  const reported =
    typeof error.code === 'string'
      ? new AppError(error.code, typeof error.message === 'string' ? error.message : messageOf(error), {
          hint: typeof error.hint === 'string' ? error.hint : undefined,
        })
      : undefined;
  if (status === 429 || status >= 500)
    return new TryAgain(
      reported ?? new AppError('HUB_UNREACHABLE', `The hub at ${url} answers with status ${status}.`),
      secondsOf(response.headers.get('retry-after')) * 1_000,
    );
  return (
    reported ??
    PERMANENT.get(status)?.(url) ??
    new AppError('ARGUMENT_INVALID', `The hub at ${url} answers with status ${status}.`)
  );
}

/** Longer waits that a hub asks for are cut: a timer cannot wait longer than 2^31 ms. */
const MAX_WAIT_SECONDS = 60;

function secondsOf(header: string | null): number {
  const seconds = Number(header ?? 0);
  return seconds > 0 ? Math.min(seconds, MAX_WAIT_SECONDS) : 0;
}
