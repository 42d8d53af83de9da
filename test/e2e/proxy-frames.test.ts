/** Invalid frames against a real hub: each is answered, the session continues, and the next call works. */
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textOf } from '../kit/messages.ts';
import { closeOf, openBridge, resultFor, type Frame, type TestBridge } from '../kit/proxy/bridge.ts';
import { callTool } from '../kit/proxy/mcp.ts';
import { APP_TOKEN, startProxy, type TestProxy } from '../kit/proxy/proxy.ts';
import { anyTool, createSession, EXAMPLE, type CreatedSession } from '../kit/proxy/sessions.ts';

const MAX_FRAME_BYTES = 100_000;
const SEED = 20_261_116;

let proxy: TestProxy;
let session: CreatedSession;
let bridge: TestBridge;

beforeAll(async () => {
  proxy = await startProxy({ limits: { maxFrameBytes: MAX_FRAME_BYTES } });
});
afterAll(() => proxy[Symbol.asyncDispose]());

const open = async (): Promise<void> => {
  session = await createSession(proxy.origin, { ...EXAMPLE, tools: [anyTool('any')] });
  bridge = await openBridge(session.bridge_url);
};

async function expectWell(): Promise<void> {
  const call = callTool(session.mcp_url, 'any');
  bridge.send(resultFor(await bridge.next('invoke_tool'), 'well'));
  expect(textOf((await call).answer)).toBe('"well"');
}

let marks = 0;
/**
 * Sends these texts, then a frame that is certainly invalid. Errors before the answer to that one belong to the
 * texts.
 */
async function errorsFor(texts: readonly string[]): Promise<Frame[]> {
  const mark = `mark-${++marks}`;
  for (const text of texts) bridge.send(text);
  bridge.send({ type: 'no_such_type', request_id: mark });
  const found: Frame[] = [];
  for (let count = 0; count <= texts.length; count++) {
    const error = await bridge.next('error');
    if (error.request_id === mark) return found;
    found.push(error);
  }
  throw new Error('the mark was not answered');
}

/** Checks the members that the document and the extensions name. Other texts cannot be valid. */
const isCertainlyBad = (text: string): boolean => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return true;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return true;
  const { type, ok, request_id, mcpSessionId } = value as Frame;
  if (typeof type !== 'string') return true;
  if (type === 'invoke_result')
    return typeof ok !== 'boolean' || typeof request_id !== 'string' || typeof mcpSessionId !== 'string';
  return !['pong', 'hello', 'progress', 'tools_changed', 'chunk'].includes(type);
};

const word = fc.constantFrom('', 'a', 'é🦀', '\u0000', '__proto__', 'x'.repeat(500));
const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), word, fc.constantFrom(null, -1, 1e308, true, [], {}));
const names = [
  'type',
  'mcpSessionId',
  'request_id',
  'ok',
  'content',
  'error',
  'tool_name',
  'arguments',
  '__proto__',
];
const types = [
  'invoke_result',
  'invoke_tool',
  'pong',
  'ping',
  'welcome',
  'error',
  'constructor',
  'INVOKE_RESULT',
  '',
];

/** Members of the document with values of every type. */
const shuffled = fc
  .tuple(fc.constantFrom(...types), fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 6 }))
  .map(([type, members]) => {
    const pairs = members.map(([name, given]) => `,${JSON.stringify(name)}:${JSON.stringify(given)}`);
    return `{"type":${JSON.stringify(type)}${pairs.join('')}}`;
  });
/** A valid frame with a random defect. */
const damaged = fc
  .tuple(
    fc.nat(200),
    fc.nat(20),
    fc.constantFrom('', '"', '{', '}', '[', ',', '\\', '\u0000', 'null', '1e999', '\\ud800'),
  )
  .map(([at, cut, put]) => {
    const good = JSON.stringify(resultFor({ type: '', mcpSessionId: 's', request_id: 'r' }, { a: [1, 'é'] }));
    const place = at % good.length;
    return good.slice(0, place) + put + good.slice(place + cut);
  });
const other = fc.oneof(
  fc.json(),
  fc.string({ maxLength: 40 }),
  fc.constantFrom('', ' ', '[]', 'null', '{}', '\ufeff{}'),
);
const bad = fc.oneof(
  { weight: 5, arbitrary: shuffled },
  { weight: 4, arbitrary: damaged },
  { weight: 1, arbitrary: other },
);

describe('bad frames', () => {
  it('3,000 of them are each answered with an error frame, the bridge stays open and a call succeeds', async () => {
    await open();
    const frames = fc.sample(bad, { numRuns: 3_000, seed: SEED });
    const call = callTool(session.mcp_url, 'any');
    const invoke = await bridge.next('invoke_tool');
    let certain = 0;
    for (let from = 0; from < frames.length; from += 50) {
      const some = frames.slice(from, from + 50);
      const wanted = some.filter(isCertainlyBad).length;
      const errors = await errorsFor(some);
      expect(errors.length, JSON.stringify(some)).toBeGreaterThanOrEqual(wanted);
      certain += wanted;
      for (const { code, message, ...rest } of errors) {
        expect(code).toMatch(/^[a-z]+(?:_[a-z]+)+$/i);
        expect(String(message)).toMatch(/\.$/);
        expect(Object.keys(rest).every((name) => name === 'type' || name === 'request_id')).toBe(true);
      }
    }
    expect(certain).toBeGreaterThan(2_000);
    // The call that was in flight all the time is not affected.
    bridge.send(resultFor(invoke, 'patient'));
    expect(textOf((await call).answer)).toBe('"patient"');
    await expectWell();
    expect(bridge.isClosed()).toBe(false);
    await bridge[Symbol.asyncDispose]();
  });

  it('accepts a frame of the maximum size; a larger one ends the bridge, and the session continues', async () => {
    await open();
    const call = callTool(session.mcp_url, 'any');
    const invoke = await bridge.next('invoke_tool');
    const empty = JSON.stringify(resultFor(invoke, ''));
    const largest = JSON.stringify(resultFor(invoke, 'x'.repeat(MAX_FRAME_BYTES - empty.length)));
    expect(Buffer.byteLength(largest)).toBe(MAX_FRAME_BYTES);
    bridge.send(largest);
    expect(textOf((await call).answer)).toHaveLength(MAX_FRAME_BYTES - empty.length + 2);
    bridge.send(`${largest} `);
    expect((await bridge.closed).code).toBe(1009);
    bridge = await openBridge(session.bridge_url);
    await expectWell();
    await bridge[Symbol.asyncDispose]();
  });

  it('answers binary frames or ends the bridge, and the session continues', async () => {
    await open();
    bridge.socket.send(Buffer.from([0xff, 0x00, 0x80]));
    await Promise.race([bridge.next('error'), bridge.closed]);
    if (bridge.isClosed()) bridge = await openBridge(session.bridge_url);
    await expectWell();
    await bridge[Symbol.asyncDispose]();
  });
});

/** Raw WebSocket frames; a client's frame is masked. */
const masked = (first: number, payload: Buffer): Buffer => {
  const mask = Buffer.from([1, 2, 3, 4]);
  const body = Buffer.from(payload.map((byte, at) => byte ^ mask[at % 4]!));
  return Buffer.concat([Buffer.from([first, 0x80 | payload.length]), mask, body]);
};

describe('bytes that are not WebSocket', () => {
  const BYTES: [string, Buffer][] = [
    ['a frame without a mask', Buffer.from([0x81, 0x02, 0x7b, 0x7d])],
    ['a reserved bit', masked(0xc1, Buffer.from('{}'))],
    ['an unknown opcode', masked(0x83, Buffer.from('{}'))],
    ['a continuation without a start', masked(0x80, Buffer.from('{}'))],
    ['text that is not UTF-8', masked(0x81, Buffer.from([0xc3, 0x28]))],
    ['a fragmented ping', masked(0x09, Buffer.from('x'))],
    ['a close frame of one byte', masked(0x88, Buffer.from([3]))],
    ['a length of 2^63', Buffer.from([0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4])],
    ['random bytes', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['half a frame', masked(0x81, Buffer.from('{"type":"pong"}')).subarray(0, 9)],
  ];
  it.each(BYTES)('end the connection, but neither the hub nor the session: %s', async (_label, bytes) => {
    await open();
    await bridge[Symbol.asyncDispose]();
    const { port } = new URL(proxy.origin);
    const socket = connect(Number(port), '127.0.0.1');
    const ended = new Promise<void>((resolve) =>
      socket.on('close', () => resolve()).on('error', () => resolve()),
    );
    const path = new URL(session.bridge_url).pathname;
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${APP_TOKEN}\r\nConnection: Upgrade\r\n` +
        'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    const head = await new Promise<string>((resolve) =>
      socket.once('data', (data: Buffer) => resolve(data.toString())),
    );
    expect(head).toMatch(/^HTTP\/1\.1 101/);
    socket.write(bytes);
    if (_label === 'half a frame') socket.end();
    await ended;
    bridge = await openBridge(session.bridge_url);
    await expectWell();
    expect((await closeOf(session.bridge_url.replace(session.mcpSessionId, 'nobody'))).code).toBe(4404);
    await bridge[Symbol.asyncDispose]();
  });

  it.each([
    ['no key', ''],
    ['another version', 'Sec-WebSocket-Version: 7\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'],
    ['a key that is none', 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n'],
  ])('a handshake with %s is refused', async (_label, lines) => {
    await open();
    const { port } = new URL(proxy.origin);
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      `GET ${new URL(session.bridge_url).pathname} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${APP_TOKEN}\r\n` +
        `Connection: Upgrade\r\nUpgrade: websocket\r\n${lines}\r\n`,
    );
    const head = await new Promise<string>((resolve) =>
      socket.once('data', (data: Buffer) => resolve(data.toString())),
    );
    expect(head).toMatch(/^HTTP\/1\.1 4\d\d/);
    socket.destroy();
    await expectWell();
    await bridge[Symbol.asyncDispose]();
  });
});
