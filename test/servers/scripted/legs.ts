/** The legs of a fixed exchange between the hub and a server, with their exact texts. */
import { isObject, type JsonObject } from '../json.ts';

/** A message of the hub; its ids are strings. */
export interface HubMessage {
  id?: string;
  method?: string;
  params?: JsonObject;
  result?: JsonObject;
}

/** One request or notification of the hub, and the server's response to it. */
export type Leg =
  | 'discover'
  | 'initialize'
  | 'initialized'
  | 'list'
  | 'listen'
  | 'call'
  | 'again'
  | 'answer'
  | 'quick'
  | 'resume'
  | 'other';

/** `t` sends progress, a log message and a question before it answers; `q` just answers. */
export const TOOLS =
  '{"tools":[{"name":"t","inputSchema":{"type":"object"}},{"name":"q","inputSchema":{"type":"object"}}]}';

const QUESTION =
  '"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}';

export function legOf({ method, params }: HubMessage): Leg {
  switch (method) {
    case undefined:
      return 'answer';
    case 'server/discover':
      return 'discover';
    case 'initialize':
      return 'initialize';
    case 'notifications/initialized':
      return 'initialized';
    case 'tools/list':
      return 'list';
    case 'tools/call':
      if (params?.['name'] === 'q') return 'quick';
      return params?.['inputResponses'] === undefined ? 'call' : 'again';
    default:
      return 'other';
  }
}

const answerTo = (id: string, members: string): string => `{"jsonrpc":"2.0","id":"${id}",${members}}`;

export const resultTo = (id: string, result: string): string => answerTo(id, `"result":${result}`);

export const textResult = (text: string): string =>
  `{"content":[{"type":"text","text":${JSON.stringify(text)}}]}`;

export const refusalTo = (id: string): string => answerTo(id, '"error":{"code":-32601,"message":"no"}');

export const INITIALIZED =
  '{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}';

export const DISCOVERED =
  '{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},' +
  '"serverInfo":{"name":"s","version":"1"},"ttlMs":0,"cacheScope":"private"}';

export const PROGRESS = 'notifications/progress';
export const LOG = 'notifications/message';

/** The messages before the question. */
export function messagesBefore({ params }: HubMessage): string[] {
  const meta = params?.['_meta'];
  const token = isObject(meta) ? meta['progressToken'] : undefined;
  return [
    `{"jsonrpc":"2.0","method":"${PROGRESS}","params":{"progressToken":${JSON.stringify(token)},"progress":1}}`,
    `{"jsonrpc":"2.0","method":"${LOG}","params":{"level":"error","data":"l"}}`,
  ];
}

export const LEGACY_QUESTION = `{"jsonrpc":"2.0","id":"q",${QUESTION}}`;

export const modernQuestion = (id: string): string =>
  resultTo(id, `{"resultType":"input_required","inputRequests":{"a":{${QUESTION}}},"requestState":"s"}`);

/** The argument `n`, by which a test recognizes a call. */
export function tagOf({ params }: HubMessage): string {
  const given = params?.['arguments'];
  return isObject(given) && typeof given['n'] === 'string' ? given['n'] : '';
}

/** The value in the client's answer, in either era. */
export function valueIn({ params, result }: HubMessage): string {
  const responses = params?.['inputResponses'];
  const answer = isObject(responses) ? responses['a'] : result;
  const content = isObject(answer) ? answer['content'] : undefined;
  return isObject(content) && typeof content['v'] === 'string' ? content['v'] : 'no answer';
}
