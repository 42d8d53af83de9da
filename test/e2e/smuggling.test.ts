/** Requests that two parsers could read differently: never run twice, never hidden in one another. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startHub, type TestHub } from '../kit/hub.ts';
import { callText, parseAnswer, textOf } from '../kit/messages.ts';
import { openRaw, postText, type RawResponse } from '../kit/raw-socket.ts';
import { stdioServer } from '../kit/servers.ts';

let hub: TestHub;
beforeAll(async () => {
  hub = await startHub({ servers: { pipe: stdioServer() } });
});
afterAll(() => hub[Symbol.asyncDispose]());

/** Calls to the server so far, with any outcome. */
async function callsSoFar(): Promise<number> {
  const { body } = await hub.post('', { path: '/metrics', method: 'GET' });
  const counts = [...body.matchAll(/^pincer_calls_total\{[^}]*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

const BODY = callText('pipe__echo', { args: '{"message":"once"}' });
const chunked = (body: string): string => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;

interface Case {
  /** How often the tool may run. */
  runs: number;
  text: () => string;
}

const CASES: Record<string, Case> = {
  'two different Content-Length': {
    runs: 0,
    text: () => postText(hub, BODY, [`Content-Length: ${BODY.length}`, 'Content-Length: 1']),
  },
  'two equal Content-Length': {
    runs: 1,
    text: () => postText(hub, BODY, [`Content-Length: ${BODY.length}`, `Content-Length: ${BODY.length}`]),
  },
  'a list in Content-Length': {
    runs: 1,
    text: () => postText(hub, BODY, [`Content-Length: ${BODY.length}, ${BODY.length}`]),
  },
  'a signed Content-Length': {
    runs: 0,
    text: () => postText(hub, BODY, [`Content-Length: +${BODY.length}`]),
  },
  'a hexadecimal Content-Length': { runs: 0, text: () => postText(hub, BODY, ['Content-Length: 0x10']) },
  'Content-Length and Transfer-Encoding': {
    runs: 1,
    text: () =>
      postText(hub, chunked(BODY) + postText(hub, BODY), ['Content-Length: 5', 'Transfer-Encoding: chunked']),
  },
  'an unknown Transfer-Encoding': {
    runs: 0,
    text: () => postText(hub, chunked(BODY), ['Transfer-Encoding: xchunked']),
  },
  'chunked before another encoding': {
    runs: 0,
    text: () => postText(hub, chunked(BODY), ['Transfer-Encoding: chunked, identity']),
  },
  'a space before the colon': {
    runs: 0,
    text: () => postText(hub, chunked(BODY), ['Transfer-Encoding : chunked']),
  },
  'a folded header': {
    runs: 1,
    text: () =>
      postText(hub, BODY, [`Content-Length: ${BODY.length}`, 'X-Folded: a', '\tTransfer-Encoding: chunked']),
  },
  'a bare line feed in the head': {
    runs: 1,
    text: () => postText(hub, BODY).replace('Content-Type', 'X: y\nContent-Type'),
  },
  'a NUL in the head': {
    runs: 0,
    text: () => postText(hub, BODY, [`Content-Length: ${BODY.length}`, 'X: \0']),
  },
  'two Host': {
    runs: 0,
    text: () => postText(hub, BODY, [`Content-Length: ${BODY.length}`, 'Host: evil.example']),
  },
  'no Host': { runs: 0, text: () => postText(hub, BODY).replace(/^Host: .*\r\n/m, '') },
  'an absolute URL of somebody else': {
    runs: 0,
    text: () => postText(hub, BODY).replace('POST /mcp', 'POST http://evil.example/mcp'),
  },
  'an absolute URL of ours': {
    runs: 1,
    text: () => postText(hub, BODY).replace('POST /mcp', `POST ${hub.url}`),
  },
  'a bad chunk size': {
    runs: 0,
    text: () =>
      postText(hub, `${BODY.length.toString(16)}g\r\n${BODY}\r\n0\r\n\r\n`, ['Transfer-Encoding: chunked']),
  },
  'a body after a GET': {
    runs: 0,
    text: () => postText(hub, BODY).replace('POST /mcp', 'GET /health'),
  },
  'a request within a refused one': {
    runs: 0,
    text: () =>
      postText(hub, postText(hub, BODY), ['Content-Length: 1']).replace('application/json', 'text/plain'),
  },
  'HTTP/1.0': { runs: 1, text: () => postText(hub, BODY).replace('HTTP/1.1', 'HTTP/1.0') },
  'HTTP/0.9': { runs: 0, text: () => 'POST /mcp\r\n\r\n' },
  'a TLS hello': { runs: 0, text: () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' },
  'a head without end': { runs: 0, text: () => `POST /mcp HTTP/1.1\r\nX: ${'x'.repeat(100_000)}` },
};

it.each(Object.entries(CASES))('%s', async (_name, { runs, text }) => {
  const before = await callsSoFar();
  await using raw = await openRaw(hub.origin);
  raw.write(text());
  const responses: RawResponse[] = [];
  for (let next = await raw.response(); next !== undefined; next = await raw.response()) {
    responses.push(next);
    raw.socket.end();
  }
  const ran = (await callsSoFar()) - before;
  expect(ran).toBeLessThanOrEqual(runs);
  expect(responses.filter(({ body }) => body.includes('"once"'))).toHaveLength(ran);
  expect(textOf(await hub.call('pipe__echo', { message: 'well' }))).toBe('well');
});

it('answers requests that arrive together one by one, in order', async () => {
  await using raw = await openRaw(hub.origin);
  const ids = Array.from({ length: 20 }, (_, index) => index);
  const all = ids.map((id) =>
    postText(
      hub,
      callText(id % 2 === 0 ? 'pipe__echo' : 'pipe__slow', {
        id: String(id),
        args: id % 2 === 0 ? '{"message":"x"}' : '{"ms":20}',
      }),
    ),
  );
  raw.write(all.join(''));
  for (const id of ids) expect(parseAnswer((await raw.response())!.body).id).toBe(id);
});
