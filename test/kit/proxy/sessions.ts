/** What apps ask of the proxy over HTTP. */
import { APP_TOKEN } from './proxy.ts';

export interface CreatedSession {
  mcpSessionId: string;
  bridge_url: string;
  mcp_url: string;
}

/** A tool as the seed's example has it. */
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

/** A tool that takes whatever it is given. */
export const anyTool = (name: string): object => ({
  name,
  path: `/tools/${name}`,
  description: `The tool ${name}.`,
});

export interface Told {
  status: number;
  headers: Headers;
  text: string;
}

export interface AskOptions {
  method?: string;
  /** Undefined: none is shown. */
  token?: string | undefined;
  headers?: Record<string, string>;
  body?: string;
}

const usual = { token: APP_TOKEN };

/** Of the session API. */
export async function ask(url: string, options: AskOptions = usual): Promise<Told> {
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
): Promise<Told> {
  return ask(`${origin}/v1/chat/sessions`, {
    ...options,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...options.headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** A session that is expected to come to be. */
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
): Promise<Told> => ask(`${origin}/v1/chat/sessions/${id}`, { method: 'DELETE', token });

/** What a refusal of the session API says. */
export const refusalIn = ({ text }: Told): { code: string; message: string; hint?: string } =>
  (JSON.parse(text) as { error: { code: string; message: string; hint?: string } }).error;
