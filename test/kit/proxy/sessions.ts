/** Requests of apps to the proxy over HTTP. */
import { APP_TOKEN } from './proxy.ts';

export interface CreatedSession {
  mcpSessionId: string;
  bridge_url: string;
  mcp_url: string;
}

/** The tool of the seed's example. */
export const ECHO_TEXT = {
  name: 'echo_text',
  path: '/tools/echo_text',
  description: 'Echo text.',
  input_schema: { type: 'object', properties: { text: { type: 'string' } } },
};

/** The request body of the seed's example. */
export const EXAMPLE = {
  device_id: 'device-1',
  device_name: 'desktop',
  app_version: '1.0.0',
  chat_id: 'chat-1',
  tools: [ECHO_TEXT],
};

/** A tool that accepts any arguments. */
export const anyTool = (name: string): object => ({
  name,
  path: `/tools/${name}`,
  description: `The tool ${name}.`,
});

export interface SessionReply {
  status: number;
  headers: Headers;
  text: string;
}

export interface AskOptions {
  method?: string;
  /** If undefined, sends no token. */
  token?: string | undefined;
  headers?: Record<string, string>;
  body?: string;
}

const usual = { token: APP_TOKEN };

/** Sends a request to the session API. */
export async function ask(url: string, options: AskOptions = usual): Promise<SessionReply> {
  const { method = 'GET', token, headers = {}, body } = options;
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

export function register(
  origin: string,
  body: unknown = EXAMPLE,
  options: AskOptions = usual,
): Promise<SessionReply> {
  return ask(`${origin}/v1/chat/sessions`, {
    ...options,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...options.headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** Creates a session; throws if that fails. */
export async function createSession(
  origin: string,
  body: unknown = EXAMPLE,
  token: string | undefined = APP_TOKEN,
): Promise<CreatedSession> {
  const { status, text } = await register(origin, body, { token });
  if (status !== 200) throw new Error(`no session: ${status} ${text}`);
  return JSON.parse(text) as CreatedSession;
}

export const deleteSession = (
  origin: string,
  id: string,
  token: string | undefined = APP_TOKEN,
): Promise<SessionReply> => ask(`${origin}/v1/chat/sessions/${id}`, { method: 'DELETE', token });

/** The error in a refusal of the session API. */
export const refusalIn = ({ text }: SessionReply): { code: string; message: string; hint?: string } =>
  (JSON.parse(text) as { error: { code: string; message: string; hint?: string } }).error;
