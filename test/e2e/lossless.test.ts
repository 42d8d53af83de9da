import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHub, type TestHub } from '../kit/hub.ts';
import { ENVELOPE, modernHeaders, parseAnswer, request, textOf } from '../kit/messages.ts';
import { httpServer, stdioServer } from '../kit/servers.ts';
import type { Era } from '../servers/flags.ts';
import { cut } from '../servers/json.ts';
import { startHttpServer, type RunningServer } from '../servers/start.ts';
import type { StdioClient } from '../kit/stdio.ts';
import { verifies } from '../verifies.ts';

const MIB = 1024 * 1024;
const ARGUMENTS =
  '{"z":99999999999999999999,"a":1.0,"huge":1e400,"tiny":-0,"b":[1.50,{"y":1,"x":2}],' +
  '"é":"日本 \\u00e9 \\ud83e\\udd80 🦀","\\u006bey":null,"":""}';
const UNKNOWN = '"x-param":12345678901234567890.10,"ü":{"b":1,"a":2}';
const META = '"x-meta":{"b":1.0,"a":"é\\u00e9"},"com.example/n":-1E+2';
const RESULT_MEMBERS =
  '"x-first":1.0,"content":[{"type":"text","text":"é\\u00e9🦀","x-block":9007199254740993},' +
  '{"type":"x-unknown","deep":[1e400,{"b":1,"a":-0.0}]}],' +
  '"structuredContent":{"z":99999999999999999999,"a":1.50},"isError":false,"_meta":{"x":1E2},"ü":null';
const ENVELOPE_MEMBERS = '"x-envelope":18446744073709551616,"ß":{"b":1.0,"a":2}';

type Front = 'http' | 'stdio';
const FRONTS: Front[] = ['http', 'stdio'];
const ERAS: Era[] = ['legacy', 'modern'];
const SERVERS = ['pipe', 'web'];
const WAYS = FRONTS.flatMap((front) =>
  ERAS.flatMap((era) => SERVERS.map((server) => [front, era, server] as const)),
);

let web: RunningServer;
let hub: TestHub;
let pipe: StdioClient;

beforeAll(async () => {
  web = await startHttpServer({ era: 'dual' });
  hub = await startHub({
    servers: { pipe: stdioServer({ era: 'dual' }), web: httpServer(web.url) },
  });
  pipe = hub.stdio();
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  await web.stop();
});

/** Sends a tools/call whose params are text, and gives the answer's text. */
async function send(front: Front, era: Era, name: string, body: string): Promise<string> {
  if (front === 'stdio') return pipe.ask(body);
  const headers = era === 'modern' ? modernHeaders('tools/call', name) : {};
  await using connection = hub.connect();
  return (await connection.post(body, { headers })).messages.at(-1) ?? '';
}

const metaOf = (era: Era, rest: string): string =>
  `"_meta":{${era === 'modern' ? `${ENVELOPE},` : ''}${rest}}`;

describe.each(WAYS)('%s front, %s, server %s', (front, era, server) => {
  it('arguments, _meta and unknown params arrive as the bytes that were sent', async () => {
    verifies('004-11.2-route');
    const name = `${server}__raw`;
    const params = `{${UNKNOWN},"arguments":${ARGUMENTS},"name":"${name}",${metaOf(era, META)}}`;
    const id = '98765432109876543210';
    const body = request('tools/call', params, id).replace('{', '{"x-extra":1.0,');
    const answer = await send(front, era, name, body);
    expect(cut(answer, 'id')).toBe(id);
    const seen = textOf(parseAnswer(answer));
    expect(seen).toBe(params.replace(name, 'raw'));
  });

  it('the progress token is the only member of _meta that changes', async () => {
    const name = `${server}__meta`;
    const meta = `"progressToken":12345678901234567890,${META}`;
    const body = request('tools/call', `{"name":"${name}",${metaOf(era, meta)}}`);
    const seen = textOf(parseAnswer(await send(front, era, name, body)));
    const [token] = /"progressToken":"[^"]+"/.exec(seen) ?? [''];
    expect(token).not.toBe('');
    expect(seen.replace(token, '"progressToken":12345678901234567890')).toBe(
      metaOf(era, meta).slice('"_meta":'.length),
    );
  });

  it('results and what stands beside them come back as the bytes that were written', async () => {
    const name = `${server}__big_number`;
    const result = `{${era === 'modern' ? '"resultType":"complete",' : ''}${RESULT_MEMBERS}}`;
    const args = JSON.stringify({ literal: result, envelope: ENVELOPE_MEMBERS });
    const body = request('tools/call', `{"name":"${name}","arguments":${args},${metaOf(era, META)}}`, '"é"');
    const answer = await send(front, era, name, body);
    expect(answer).toBe(`{"jsonrpc":"2.0","id":"é","result":${result},${ENVELOPE_MEMBERS}}`);
  });

  it('an error of the server comes back with its data', async () => {
    const name = `${server}__rpc_error`;
    const args = '{"code":-32077,"message":"é 🦀"}';
    const body = request('tools/call', `{"name":"${name}","arguments":${args},${metaOf(era, META)}}`);
    const { error } = parseAnswer(await send(front, era, name, body));
    expect(error).toMatchObject({ code: -32077, message: 'é 🦀' });
  });

  it('15 MiB go there and come back', async () => {
    const data = 'QUJDREVGR0g'.repeat(Math.ceil((15 * MIB) / 11)).slice(0, 15 * MIB);
    const there = `{"name":"${server}__sink","arguments":{"data":"${data}"},${metaOf(era, META)}}`;
    const sunk = await send(front, era, `${server}__sink`, request('tools/call', there));
    expect(textOf(parseAnswer(sunk))).toBe(String(data.length));
    const back = `{"name":"${server}__big","arguments":{"bytes":${15 * MIB}},${metaOf(era, META)}}`;
    const big = textOf(parseAnswer(await send(front, era, `${server}__big`, request('tools/call', back))));
    expect(big.length).toBe(15 * MIB);
    expect(big.slice(0, 8) + big.slice(64, 72)).toBe('ABCDEFGHABCDEFGH');
  });
});

describe('a key that occurs twice', () => {
  const call = (name: string, tail = ''): string => `"params":{"name":"${name}","arguments":{}${tail}}`;
  const DUPLICATES: [string, string][] = [
    ['method', `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call",${call('count__add_tool')}}`],
    ['id', `{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call",${call('count__add_tool')}}`],
    ['params', `{"jsonrpc":"2.0","id":1,"method":"tools/call",${call('x')},${call('count__add_tool')}}`],
    ['unknown', `{"jsonrpc":"2.0","x":1,"id":1,"method":"tools/call","x":2,${call('count__add_tool')}}`],
    ['name', request('tools/call', '{"name":"count__echo","name":"count__add_tool","arguments":{}}')],
    ['escaped name', request('tools/call', '{"n\\u0061me":"count__echo","name":"count__add_tool"}')],
    ['arguments', request('tools/call', '{"name":"count__add_tool","arguments":{},"argument\\u0073":{}}')],
    ['in _meta', request('tools/call', '{"name":"count__add_tool","_meta":{"a":1,"a":2}}')],
    ['escaped in _meta', request('tools/call', '{"name":"count__add_tool","_meta":{"a":1,"\\u0061":2}}')],
    [
      'modern envelope',
      request('tools/call', `{"name":"count__add_tool","_meta":{${ENVELOPE},${ENVELOPE}}}`),
    ],
  ];

  it.each(DUPLICATES)('%s is refused, and nothing runs', async (_name, message) => {
    await using counting = await startHub({
      servers: { count: stdioServer({ tools: ['add_tool', 'echo', 'whoami'] }) },
    });
    const named = message.replaceAll('"arguments":{}', '"arguments":{"name":"ran","message":"ran"}');
    const reply = await counting.post(named);
    expect(reply.status).toBe(400);
    expect(parseAnswer(reply.body).error?.code).toBe(-32600);
    const client = counting.stdio();
    client.send(named);
    expect(parseAnswer(await client.take()).error?.code).toBe(-32600);
    const { value } = await counting.control('GET', 'tools?server=count');
    expect((value as { name: string }[]).map(({ name }) => name)).not.toContain('ran');
    expect(textOf(await counting.call('count__echo', { message: 'well' }))).toBe('well');
  });
});
