/** Requests to talking servers. */
import type { JsonObject } from '../../servers/json.ts';
import type { Plan } from './plan.ts';

export interface Request {
  method: string;
  /** The name of the tool, prompt or resource. */
  name: string;
  params: JsonObject;
}

/** Capabilities of a client that accepts questions. */
export const ABLE = { sampling: {}, elicitation: {}, roots: { listChanged: true } };

const META = 'io.modelcontextprotocol/';

export function requestOf({ server, way, script }: Plan, marker: string): Request {
  // A template variable must not be empty.
  const steps = script.join(',') || 'wait0';
  if (way === 'resource') {
    const uri = `talk-${server}://${marker}/${encodeURIComponent(steps)}`;
    return { method: 'resources/read', name: uri, params: { uri } };
  }
  const name = `${server}__talk`;
  const method = way === 'tool' ? 'tools/call' : 'prompts/get';
  return { method, name, params: { name, arguments: { marker, script: steps } } };
}

/** The envelope of the modern era. */
export const envelopeOf = (
  client: string,
  { isAble, hearsLogs }: Pick<Plan, 'isAble' | 'hearsLogs'>,
): JsonObject => ({
  [`${META}protocolVersion`]: '2026-07-28',
  [`${META}clientInfo`]: { name: client, version: '1' },
  [`${META}clientCapabilities`]: isAble ? ABLE : {},
  ...(hearsLogs && { [`${META}logLevel`]: 'debug' }),
});

export function answerTo(method: string, signature: string): JsonObject {
  if (method === 'elicitation/create') return { action: 'accept', content: { by: signature } };
  if (method === 'roots/list') return { roots: [{ uri: `file:///${signature}` }] };
  return { role: 'assistant', model: 'none', content: { type: 'text', text: signature } };
}
