/** A client on the connection that `pincer stdio` opens. It answers questions and records what it receives. */
import { connect, type Socket } from 'node:net';
import type { Era } from '../servers/flags.ts';
import type { JsonObject } from '../servers/json.ts';
import { createLineReader } from '../servers/transports/lines.ts';
import type { TestHub } from './hub.ts';
import { LEGACY, request, type Answer } from './messages.ts';

/** The result of a call. */
export interface CallRecord {
  /** Methods received before the answer, in order. */
  received: string[];
  answer: Answer;
}

export interface LineClient extends AsyncDisposable {
  /** `args` is the JSON text of the arguments. */
  call(tool: string, args?: string): Promise<CallRecord>;
  socket: Socket;
}

/** A generous timeout for a hang. */
const HANG_MS = 30_000;
const OF_NO_CALL = /^notifications\/(?:cancelled|.*\/list_changed)$/;
const ACCEPTED = '{"action":"accept","content":{"v":"y"}}';
const META = 'io.modelcontextprotocol/';
const ENVELOPE =
  `"${META}protocolVersion":"2026-07-28","${META}clientInfo":{"name":"k","version":"1"},` +
  `"${META}clientCapabilities":{"elicitation":{}},"${META}logLevel":"error"`;

interface Waiting extends CallRecord {
  tool: string;
  args: string;
  resolve(record: CallRecord): void;
}

/** The head of an upgrade request for such a connection. */
export const lineHead = (hub: TestHub, path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: ${new URL(hub.origin).host}\r\nAuthorization: Bearer ${hub.token}\r\n` +
  'Connection: Upgrade\r\nUpgrade: pincer-stdio\r\n\r\n';

export async function openLineClient(hub: TestHub, server: string, era: Era): Promise<LineClient> {
  const { hostname, port } = new URL(hub.origin);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  socket.on('error', () => {});
  socket.write(lineHead(hub, `/mcp/${server}`));
  await new Promise<void>((resolve) => socket.once('data', () => resolve()));
  const waiting = new Map<number, Waiting>();
  let ids = 0;
  const send = (line: string): void => void socket.write(`${line}\n`);

  function ask(
    call: Omit<Waiting, 'resolve' | 'answer'>,
    more: string,
    resolve: (record: CallRecord) => void,
  ): void {
    const id = ++ids;
    waiting.set(id, { ...call, answer: { id }, resolve });
    const meta = `"progressToken":${id}${era === 'modern' ? `,${ENVELOPE}` : ''}`;
    send(
      request(
        'tools/call',
        `{"name":"${call.tool}","arguments":${call.args}${more},"_meta":{${meta}}}`,
        String(id),
      ),
    );
  }

  /** A modern server asks through a result; the client repeats the request with the answers. */
  function askAgain(call: Waiting, result: JsonObject): void {
    call.received.push('elicitation/create');
    const keys = Object.keys(result['inputRequests'] as JsonObject);
    const responses = keys.map((key) => `"${key}":${ACCEPTED}`).join(',');
    const state = JSON.stringify(result['requestState']);
    ask(call, `,"inputResponses":{${responses}},"requestState":${state}`, call.resolve);
  }

  function onAnswer(answer: Answer): void {
    const call = waiting.get(answer.id as number);
    if (call === undefined) throw new Error(`an answer without a request: ${JSON.stringify(answer)}`);
    waiting.delete(answer.id as number);
    if (answer.result?.['resultType'] === 'input_required') askAgain(call, answer.result);
    else call.resolve({ received: call.received, answer });
  }

  socket.on(
    'data',
    createLineReader((line) => {
      const message = JSON.parse(line) as Answer & { method?: string };
      const { id, method } = message;
      if (method === undefined) return onAnswer(message);
      if (!OF_NO_CALL.test(method)) for (const call of waiting.values()) call.received.push(method);
      if (id !== undefined) send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${ACCEPTED}}`);
    }),
  );
  if (era === 'legacy') {
    const capabilities = '"capabilities":{"elicitation":{}},"clientInfo":{"name":"k","version":"1"}';
    const introduced = new Promise<CallRecord>((resolve) =>
      waiting.set(0, { tool: '', args: '', received: [], answer: { id: 0 }, resolve }),
    );
    send(request('initialize', `{"protocolVersion":"${LEGACY}",${capabilities}}`, '0'));
    await introduced;
    send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  }
  return {
    socket,
    call(tool, args = '{}') {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`"${tool}" hangs`)), HANG_MS);
        ask({ tool, args, received: [] }, '', (record) => {
          clearTimeout(timer);
          resolve(record);
        });
      });
    },
    async [Symbol.asyncDispose]() {
      socket.destroy();
    },
  };
}
