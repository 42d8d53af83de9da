import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { parseConfig } from '../config/load.ts';
import { LOCAL_CALLER } from '../core/caller.ts';
import { readAbilities, STRANGER, type Client } from '../core/client.ts';
import { PincerError } from '../core/errors.ts';
import { DEFAULT_LIMITS, type Limits } from '../core/limits.ts';
import type { Outcome } from '../core/outcome.ts';
import type { SourceRequest } from '../core/request.ts';
import { jsonBytes, parseBytes } from '../core/wire/byte-text.ts';
import { readMembers } from '../core/wire/members.ts';
import type { Backend, Order, OrderEnd, OrderListener } from './backend.ts';
import { createAgentSource } from './source.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64');
const ANSWER: OrderEnd = { kind: 'answered', text: 'Hello.', media: [], remarks: [] };

interface Bench {
  readonly run: Backend['run'];
  readonly agent?: object;
  readonly limits?: Partial<Limits>;
}

function bench({ run, agent = {}, limits = {} }: Bench) {
  const orders: Order[] = [];
  const { agent: settings } = parseConfig({ agent }, {});
  const source = createAgentSource({
    backend: { run: (order, listener) => (orders.push(order), run(order, listener)), close: () => undefined },
    limits: { ...DEFAULT_LIMITS, ...limits },
    clock: { now: () => 1_700_000_000_000, elapsed: () => 0 },
    settings: () => settings,
  });

  /** One request with everything that follows. */
  function ask(
    method: string,
    params: object,
    more: { client?: Client; caller?: string; meta?: object } = {},
  ) {
    const notified: unknown[] = [];
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const request: SourceRequest = {
      method,
      name: (params as { uri?: string }).uri ?? 'order_openclaw',
      params: readMembers(jsonBytes(params)),
      meta: readMembers(jsonBytes(more.meta ?? {})),
      era: 'legacy',
      caller: { id: more.caller ?? 'me', name: 'me', scopes: {} },
      client: more.client ?? STRANGER,
    };
    const running = source.request(request, {
      notify: (_method, params) => notified.push(parseBytes(params)),
      ask: () => ({ withdraw: () => undefined }),
      settle: resolve,
    });
    return { notified, outcome: promise, cancel: (reason: string) => running.cancel(reason) };
  }
  const order = (args: object, more = {}) =>
    ask('tools/call', { name: 'order_openclaw', arguments: args }, more);
  return { source, orders, ask, order };
}

const resultOf = (outcome: Outcome): unknown =>
  parseBytes('result' in outcome ? outcome.result : ((outcome as { shown?: string }).shown ?? 'null'));
const textIn = (outcome: Outcome): string =>
  (resultOf(outcome) as { content: { text: string }[] }).content.map(({ text }) => text).join('|');
const answering = (end: OrderEnd) => async () => end;

describe('order', () => {
  it('is answered with one result', async () => {
    verifies('001-response-ok');
    const { order, orders } = bench({ run: answering(ANSWER) });
    const { outcome } = order({ message: ' hi\n' });
    expect(resultOf(await outcome)).toEqual({ content: [{ type: 'text', text: 'Hello.' }], isError: false });
    expect(orders).toMatchObject([
      { message: ' hi\n', attachments: [], agentId: undefined, commands: false },
    ]);
  });

  it('has its own conversation unless it names one', async () => {
    verifies(
      '001-param-session-key-generated',
      '001-session-namespace',
      '002-3-unique-key',
      '002-3-same-key',
    );
    const { order, orders } = bench({ run: answering(ANSWER) });
    await order({ message: 'a' }).outcome;
    await order({ message: 'b' }).outcome;
    await order({ message: 'c', sessionKey: 'k' }).outcome;
    await order({ message: 'd', sessionKey: 'k' }).outcome;
    await order({ message: 'e', sessionKey: 'k' }, { caller: 'another caller' }).outcome;
    const keys = orders.map(({ sessionKey }) => sessionKey);
    await order({ message: 'f', sessionKey: '' }).outcome;
    await order({ message: 'g', sessionKey: '' }).outcome;
    expect(new Set(orders.map(({ sessionKey }) => sessionKey)).size).toBe(6);
    expect(new Set(keys).size).toBe(4);
    expect(keys[2]).toBe(keys[3]);
    for (const key of keys) expect(key).toMatch(/^mcp:[0-9a-f]{16}:[0-9a-f]{40}$/);
  });

  it.each([
    [{}, /message/],
    [{ message: 7 }, /message/],
    [{ message: ' \n' }, /empty/],
    [{ message: 'x', images: [{ data: PNG }] }, /images\.0\.mimeType/],
    [{ message: 'x', images: [{ data: PNG, mimeType: 'image/jpeg' }] }, /its content is/],
  ])('is refused and does not run if it is invalid: %j', async (args, why) => {
    verifies('001-tool-schema-message', '001-response-error');
    const { order, orders } = bench({ run: answering(ANSWER) });
    const outcome = await order(args).outcome;
    expect(outcome.kind).toBe('not_executed');
    expect(textIn(outcome)).toMatch(/^Error: /);
    expect(textIn(outcome)).toMatch(why);
    expect(resultOf(outcome)).toMatchObject({ isError: true });
    expect(orders).toEqual([]);
  });

  it.each<[string, () => Promise<OrderEnd>, string, RegExp]>([
    [
      'could not be handed over',
      () => Promise.reject(new PincerError('TOKEN_INVALID', 'No.', { hint: 'Do this.' })),
      'not_executed',
      /^Error: No\. Do this\.$/,
    ],
    [
      'was lost',
      answering({ kind: 'lost', reason: new PincerError('SERVER_GONE', 'Gone.') }),
      'outcome_unknown',
      /^Error: Gone\.$/,
    ],
    [
      'failed',
      answering({ kind: 'failed', message: 'Bad model.', hint: 'Look.', text: 'I tried' }),
      'tool_error',
      /^Error: Bad model\. Look\.\n\n.*\nI tried$/,
    ],
    ['was stopped', answering({ kind: 'stopped', text: '' }), 'tool_error', /^Error: .*stopped/],
  ])('is shown as an error if it %s', async (_name, run, kind, text) => {
    verifies('001-response-error');
    const outcome = await bench({ run }).order({ message: 'x' }).outcome;
    expect(outcome.kind).toBe(kind);
    expect(textIn(outcome)).toMatch(text);
    expect(resultOf(outcome)).toMatchObject({ isError: true });
  });

  it('is stopped when cancelled, and settles once', async () => {
    const run = (_order: Order, { signal }: OrderListener) =>
      new Promise<OrderEnd>((resolve) =>
        signal.addEventListener('abort', () => resolve({ kind: 'stopped', text: 'half' })),
      );
    const { outcome, cancel } = bench({ run }).order({ message: 'x' });
    cancel('enough');
    cancel('again');
    expect(await outcome).toMatchObject({ kind: 'outcome_unknown', reason: { code: 'CALL_CANCELLED' } });
  });

  it('names an agent only if the settings allow it', async () => {
    const closed = bench({ run: answering(ANSWER) });
    await closed.order({ message: 'x', agent: 'ops' }).outcome;
    expect(closed.orders).toMatchObject([{ agentId: undefined }]);
    const open = bench({ run: answering(ANSWER), agent: { agents: ['ops'] } });
    await open.order({ message: 'x', agent: 'ops' }).outcome;
    expect(open.orders).toMatchObject([
      { agentId: 'ops', sessionKey: expect.stringMatching(/^agent:ops:mcp:/) as string },
    ]);
    expect(textIn(await open.order({ message: 'x', agent: 'main' }).outcome)).toMatch(/"main".*ops/s);
  });

  it('reports the text so far to callers that asked for progress, without repetition', async () => {
    const run = async (_order: Order, { onProgress }: OrderListener): Promise<OrderEnd> => {
      onProgress(() => ({ text: '', tool: undefined }));
      await new Promise((resolve) => setTimeout(resolve, 250));
      onProgress(() => ({ text: 'Let me', tool: 'exec' }));
      onProgress(() => ({ text: 'Let me', tool: 'exec' }));
      await new Promise((resolve) => setTimeout(resolve, 250));
      return ANSWER;
    };
    const { notified, outcome } = bench({ run }).order({ message: 'x' }, { meta: { progressToken: 7 } });
    await outcome;
    expect(notified).toEqual([
      { progressToken: 7, progress: 1, message: 'OpenClaw is working.' },
      { progressToken: 7, progress: 2, message: 'Let me\n[uses exec]' },
    ]);
    const quiet = bench({ run }).order({ message: 'x' });
    await quiet.outcome;
    expect(quiet.notified).toEqual([]);
  });

  it('is refused while too many media bytes are being sent', async () => {
    const gate = Promise.withResolvers<OrderEnd>();
    const { order } = bench({ run: () => gate.promise, limits: { maxMediaBytesAtOnce: 20 } });
    const images = [{ data: PNG, mimeType: 'image/png' }];
    const first = order({ message: 'x', images });
    const second = await order({ message: 'x', images }).outcome;
    expect(second).toMatchObject({ kind: 'not_executed', reason: { code: 'SERVER_BUSY' } });
    gate.resolve(ANSWER);
    expect((await first.outcome).kind).toBe('ok');
    expect((await order({ message: 'x', images }).outcome).kind).toBe('ok');
  });
});

describe('media that do not fit on a line', () => {
  const bytes = Buffer.alloc(2_000, 7);
  const run = answering({
    kind: 'answered',
    text: 'Here.',
    media: [{ mimeType: 'application/pdf', name: 'a b.pdf', content: { bytes } }],
    remarks: ['a remark'],
  });
  const limits = { maxReplyLineBytes: 17_000 };

  it('become a link that only the caller can read', async () => {
    const { order, ask } = bench({ run, limits });
    const client = { ...STRANGER, readsLines: true };
    const { content } = resultOf(await order({ message: 'x' }, { client }).outcome) as {
      content: { type: string; uri: string }[];
    };
    expect(content).toMatchObject([
      { type: 'text', text: 'Here.' },
      { type: 'resource_link', name: 'a b.pdf', mimeType: 'application/pdf', size: 2_000 },
      { type: 'text', text: '[a remark]' },
    ]);
    const { uri } = content[1]!;
    expect(resultOf(await ask('resources/read', { uri }).outcome)).toEqual({
      contents: [{ uri, mimeType: 'application/pdf', blob: bytes.toString('base64') }],
    });
    const foreign = await ask('resources/read', { uri }, { caller: 'another caller' }).outcome;
    expect(foreign).toMatchObject({ kind: 'not_executed', reason: { code: 'RESOURCE_UNKNOWN' } });
  });

  it.each([{ maxReplyItemBytes: 1_999 }, { maxReplyBytes: 2_004 }])(
    'become a link if they exceed the limits of an answer: %j',
    async (above) => {
      verifies('001-limit-response-item', '001-limit-response-total');
      const { order, ask } = bench({ run, limits: above });
      const { content } = resultOf(await order({ message: 'x' }).outcome) as { content: { uri: string }[] };
      expect(content[1]).toMatchObject({ type: 'resource_link', name: 'a b.pdf', size: 2_000 });
      expect(resultOf(await ask('resources/read', { uri: content[1]!.uri }).outcome)).toMatchObject({
        contents: [{ blob: bytes.toString('base64') }],
      });
    },
  );

  it('are in the answer for clients without a line limit', async () => {
    const { order } = bench({ run, limits });
    expect(resultOf(await order({ message: 'x' }).outcome)).toMatchObject({
      content: [{ type: 'text' }, { type: 'resource', resource: { uri: 'attachment://a%20b.pdf' } }, {}],
    });
  });

  it('are read in parts if they are longer than a line', async () => {
    const { order, ask } = bench({ run, limits: { maxReplyLineBytes: 16 * 1024 + 1_600 } });
    const client = { ...STRANGER, readsLines: true };
    const { content } = resultOf(await order({ message: 'x' }, { client }).outcome) as {
      content: { uri: string }[];
    };
    const { uri } = content[1]!;
    const whole = await ask('resources/read', { uri }, { client }).outcome;
    expect(whole).toMatchObject({
      kind: 'not_executed',
      reason: { code: 'ARGUMENT_INVALID', data: { parts: 2 } },
    });
    const blobs = await Promise.all(
      [1, 2].map(async (part) => {
        const { outcome } = ask('resources/read', { uri: `${uri}?part=${part}` }, { client });
        return (resultOf(await outcome) as { contents: { blob: string }[] }).contents[0]!.blob;
      }),
    );
    expect(Buffer.concat(blobs.map((blob) => Buffer.from(blob, 'base64')))).toEqual(bytes);
    for (const part of ['0', '3', 'x'])
      expect(await ask('resources/read', { uri: `${uri}?part=${part}` }, { client }).outcome).toMatchObject({
        reason: { code: 'RESOURCE_UNKNOWN' },
      });
    expect((await ask('resources/read', { uri }).outcome).kind).toBe('ok');
  });

  it('make room for later ones', async () => {
    const { order, ask } = bench({ run, limits: { ...limits, maxShelfBytes: 3_000 } });
    const client = { ...STRANGER, readsLines: true };
    const uris: string[] = [];
    for (const message of ['a', 'b']) {
      const result = resultOf(await order({ message }, { client }).outcome) as { content: { uri: string }[] };
      uris.push(result.content[1]!.uri);
    }
    const kinds = await Promise.all(
      uris.map(async (uri) => (await ask('resources/read', { uri }).outcome).kind),
    );
    expect(kinds).toEqual(['not_executed', 'ok']);
  });
});

describe('approvals and questions of an agent are shown to', () => {
  const client: Client = { ...STRANGER, abilities: readAbilities('{"elicitation":{}}') };
  it.each([
    ['the person at this machine, including approvals', { client, caller: LOCAL_CALLER }, [true, true]],
    ['anybody else, but for approvals', { client }, [false, true]],
    ['no client without forms', { caller: LOCAL_CALLER }, [false, false]],
  ])('%s', async (_, more, expected) => {
    const listeners: OrderListener[] = [];
    const { order } = bench({ run: async (_order, listener) => (listeners.push(listener), ANSWER) });
    await order({ message: 'x' }, more).outcome;
    expect(listeners.map(({ ask, answer }) => [ask, answer].map((each) => each !== undefined))).toEqual([
      expected,
    ]);
  });
});

describe('OpenClaw itself', () => {
  it('cannot send orders to itself', async () => {
    const { order, orders } = bench({ run: answering(ANSWER) });
    const client = { ...STRANGER, info: jsonBytes({ name: 'openclaw-bundle-mcp', version: '0.0.0' }) };
    const outcome = await order({ message: 'x' }, { client }).outcome;
    expect(outcome).toMatchObject({ kind: 'not_executed', reason: { code: 'POLICY_DENIED' } });
    expect(orders).toEqual([]);
  });
});

it('rejects other methods', async () => {
  const { ask } = bench({ run: answering(ANSWER) });
  expect(await ask('completion/complete', {}).outcome).toMatchObject({ kind: 'tool_error' });
});
