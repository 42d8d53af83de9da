/** This machine as a source: offers, calls, refusals, resources. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { HandExchange } from '../../../../test/kit/fake-wire.ts';
import { STRANGER, type Client } from '../core/client.ts';
import type { Outcome } from '../core/outcome.ts';
import type { SourceRequest } from '../core/request.ts';
import { jsonBytes, parseBytes } from '../core/wire/byte-text.ts';
import { readMembers } from '../core/wire/members.ts';
import { clamped, requiredText } from './registry/arguments.ts';
import {
  defineCapability,
  type Capability,
  type CommandContext,
  CommandFailure,
} from './registry/capability.ts';
import { createRegistry } from './registry/registry.ts';
import { createDeviceSource, type DeviceSource } from './source.ts';
import { createActivityLog } from './resources.ts';
import { verifies } from '../../../../test/verifies.ts';

const annotations = { title: 'Try', readOnlyHint: true };
const PNG = Buffer.from('not a picture').toString('base64');

interface Tried {
  off: Set<string>;
  errors: object[];
  offers: number;
  source: DeviceSource;
}

function open(...capabilities: Capability[]): Tried {
  const off = new Set<string>();
  const errors: object[] = [];
  const tried = { off, errors, offers: 0 };
  const registry = createRegistry({ isOn: (name) => !off.has(name) });
  for (const capability of capabilities) registry.register(capability);
  const source = createDeviceSource({
    lookEveryMs: 60_000,
    registry,
    activity: createActivityLog(200),
    log: {
      debug: () => undefined,
      info: () => undefined,
      warn: (_message, fields) => errors.push({ ...fields }),
      error: (_message, fields) => errors.push({ ...fields }),
    },
    onOffer: () => (tried.offers += 1),
  });
  return Object.assign(tried, { source });
}

const tries = (run: (args: { n: number; text: string }, context: CommandContext) => unknown): Capability =>
  defineCapability({
    category: 'try',
    commands: {
      'try.it': {
        description: 'tries',
        input: z.object({
          n: clamped(1, 5, 2, 'How often.'),
          text: requiredText('Missing text parameter', 'What.'),
        }),
        output: z.object({ n: z.number() }),
        annotations,
        run: (args, context) => run(args, context) as Promise<{ n: number }>,
      },
    },
  });

const requestOf = (name: string, more: Partial<SourceRequest> & { args?: object } = {}): SourceRequest => ({
  method: 'tools/call',
  name,
  params: readMembers(jsonBytes({ name, arguments: more.args ?? { text: 'x' } })),
  meta: [],
  era: 'legacy',
  caller: { id: 'me', name: 'me', scopes: {} },
  client: STRANGER,
  view: 'device',
  ...more,
});

async function call(source: DeviceSource, request: SourceRequest): Promise<Outcome> {
  const exchange = new HandExchange();
  source.request(request, exchange);
  for (let turn = 0; turn < 50 && exchange.outcomes.length === 0; turn++)
    await new Promise((resolve) => setImmediate(resolve));
  expect(exchange.outcomes).toHaveLength(1);
  return exchange.outcomes[0]!;
}

const resultOf = (outcome: Outcome): Record<string, unknown> => {
  const raw = 'result' in outcome ? outcome.result : 'shown' in outcome ? outcome.shown! : '{}';
  return parseBytes(raw) as Record<string, unknown>;
};

describe('a call', () => {
  it('returns the payload as text and as structured content', async () => {
    const { source } = open(tries(({ n }) => ({ n })));
    const outcome = await call(source, requestOf('try.it', { args: { n: 9, text: 'x' } }));
    expect(outcome.kind).toBe('ok');
    expect(resultOf(outcome)).toEqual({
      content: [{ type: 'text', text: '{"n":5}' }],
      structuredContent: { n: 5 },
      isError: false,
    });
  });

  it('is answered before the source has stopped, even if its command ends slowly', async () => {
    const { source } = open(
      tries(async (_args, { signal }) => {
        await once(signal, 'abort');
        await sleep(50);
        throw new CommandFailure('cancelled');
      }),
    );
    const exchange = new HandExchange();
    source.request(requestOf('try.it'), exchange);
    await source.stop();
    expect(exchange.outcomes.map((outcome) => resultOf(outcome))).toMatchObject([
      { content: [{ text: 'cancelled' }] },
    ]);
  });

  it('ends without a result when its command is switched off', async () => {
    const { source, off } = open(
      tries(async (_args, { signal }) => {
        await once(signal, 'abort');
        return { n: 1 };
      }),
    );
    const exchange = new HandExchange();
    source.request(requestOf('try.it'), exchange);
    source.configure();
    expect(exchange.outcomes).toEqual([]);
    off.add('try');
    source.configure();
    await source.stop();
    expect(exchange.outcomes.map((outcome) => resultOf(outcome))).toMatchObject([
      { isError: true, content: [{ text: 'try.it was switched off on this machine while it ran' }] },
    ]);
  });

  it('without a required argument fails with the documented text, and does not run', async () => {
    const { source } = open(tries(() => expect.unreachable()));
    const outcome = await call(source, requestOf('try.it', { args: { text: ' ' } }));
    expect(outcome.kind).toBe('not_executed');
    expect(resultOf(outcome)).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'Missing text parameter' }],
    });
  });

  it('returns the failure and the hint, and logs the cause', async () => {
    const { source, errors } = open(
      tries(() => {
        throw new CommandFailure('Try not available', { hint: 'Install it.', cause: new Error('/home/me') });
      }),
    );
    const outcome = await call(source, requestOf('try.it'));
    expect(outcome.kind).toBe('tool_error');
    expect(resultOf(outcome)['content']).toEqual([{ type: 'text', text: 'Try not available. Install it.' }]);
    expect(JSON.stringify(resultOf(outcome))).not.toContain('/home');
    expect(errors).toHaveLength(1);
  });

  it.each([
    [false, 'tool_error'],
    [true, 'not_executed'],
  ])('returns the code of a failure, not executed: %s', async (notExecuted, kind) => {
    const { source } = open(
      tries(() => {
        throw new CommandFailure('No camera', { code: 'CAMERA_DISABLED', notExecuted });
      }),
    );
    const outcome = await call(source, requestOf('try.it'));
    expect(outcome.kind).toBe(kind);
    expect(resultOf(outcome)['_meta']).toEqual({ 'pincer/code': 'CAMERA_DISABLED' });
    if (notExecuted) expect(outcome).toMatchObject({ reason: { data: { code: 'CAMERA_DISABLED' } } });
  });

  it('returns no details of an internal error', async () => {
    const { source, errors } = open(
      tries(() => {
        throw new Error('secret path');
      }),
    );
    const outcome = await call(source, requestOf('try.it'));
    expect(JSON.stringify(resultOf(outcome))).not.toContain('secret');
    expect(errors).toHaveLength(1);
  });

  it('can be cancelled', async () => {
    const { source } = open(
      tries(
        (_args, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(new CommandFailure('cancelled')));
          }),
      ),
    );
    const exchange = new HandExchange();
    const running = source.request(requestOf('try.it'), exchange);
    await new Promise((resolve) => setImmediate(resolve));
    running.cancel('enough');
    await new Promise((resolve) => setImmediate(resolve));
    expect(exchange.outcomes.map(({ kind }) => kind)).toEqual(['tool_error']);
  });

  it('reports growing progress if the caller sent a progress token', async () => {
    const { source } = open(
      tries((_args, { progress }) => {
        progress(1, 3, 'one');
        progress(1, 3);
        progress(2);
        return { n: 1 };
      }),
    );
    const exchange = new HandExchange();
    source.request(requestOf('try.it', { meta: [{ key: 'progressToken', raw: '"t"' }] }), exchange);
    await new Promise((resolve) => setImmediate(resolve));
    expect(exchange.notified).toEqual([
      'notifications/progress {"progressToken":"t","progress":1,"total":3,"message":"one"}',
      'notifications/progress {"progressToken":"t","progress":2}',
    ]);
  });
});

describe('media', () => {
  const pictures = defineCapability({
    category: 'try',
    commands: {
      'try.picture': {
        description: 'a picture',
        input: z.object({}),
        output: z.object({ format: z.string(), base64: z.string().optional() }),
        annotations,
        bulky: ['base64'],
        media: () => [{ type: 'image', data: PNG, mimeType: 'image/png' }],
        run: () => ({ format: 'png', base64: PNG }),
      },
      'try.film': {
        description: 'a film',
        input: z.object({}),
        output: z.object({ format: z.string() }),
        annotations,
        media: () => [{ type: 'video', data: PNG, mimeType: 'video/mp4' }],
        run: () => ({ format: 'mp4' }),
      },
      'try.list': {
        description: 'a list',
        input: z.object({}),
        output: z.array(z.number()),
        annotations,
        run: () => [1, 2],
      },
    },
  });
  const IMAGE = { type: 'image', data: PNG, mimeType: 'image/png' };
  const whole = { format: 'png', base64: PNG };
  const lean = { format: 'png' };

  it.each([
    ['also in the text if requested', 'in-text', whole, lean],
    ['also in the structured content if requested', 'structured', lean, whole],
    ['nowhere else', undefined, lean, lean],
  ] as const)('are separate content, and %s', async (_where, mediaBytes, text, structured) => {
    const { source } = open(pictures);
    const request = requestOf('try.picture', { mediaBytes });
    const { content, structuredContent } = resultOf(await call(source, request));
    expect(structuredContent).toEqual(structured);
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(text) }, IMAGE]);
  });

  it('that are videos are embedded resources', async () => {
    const { source } = open(pictures);
    expect(resultOf(await call(source, requestOf('try.film')))['content']).toContainEqual({
      type: 'resource',
      resource: { uri: 'device://clip', mimeType: 'video/mp4', blob: PNG },
    });
  });

  it('wraps a list as the only member of structured content', async () => {
    const { source } = open(pictures);
    expect(resultOf(await call(source, requestOf('try.list')))).toMatchObject({
      content: [{ text: '[1,2]' }],
      structuredContent: { items: [1, 2] },
    });
    const [, , list] = source.offer().tools.map(({ raw }) => parseBytes(raw));
    expect(list).toMatchObject({ outputSchema: { type: 'object', required: ['items'] } });
  });
});

describe('the offer', () => {
  it('has schemas in which arguments with a default are optional', () => {
    const { source } = open(tries(() => ({ n: 1 })));
    const [tool] = source.offer().tools;
    expect(tool).toMatchObject({ name: 'try.it', readOnly: true });
    expect(parseBytes(tool!.raw)).toMatchObject({
      title: 'Try',
      inputSchema: { type: 'object', required: ['text'], properties: { n: { type: 'number' } } },
      outputSchema: { type: 'object' },
    });
  });

  it('changes when a capability is added or removed, and the first keeps a name', async () => {
    const tried = open(tries(() => ({ n: 1 })));
    const { source } = tried;
    const again = source.registry.register(tries(() => ({ n: 2 })));
    expect(tried.offers).toBe(1);
    expect(source.offer().tools).toHaveLength(1);
    expect(resultOf(await call(source, requestOf('try.it')))['structuredContent']).toEqual({ n: 1 });
    again();
    expect(tried.offers).toBe(2);
  });

  it('contains only what is switched on, and other calls name the switch', async () => {
    const tried = open(tries(() => ({ n: 1 })));
    tried.off.add('try');
    tried.source.configure();
    expect(tried.source.offer().tools).toEqual([]);
    const outcome = await call(tried.source, requestOf('try.it'));
    expect(outcome.kind).toBe('not_executed');
    expect(JSON.stringify(resultOf(outcome))).toContain('pincer device on try');
  });
});

describe('a prepared command', () => {
  const runs: string[] = [];
  const careful = (decision: 'allow' | 'ask' | 'deny'): Capability =>
    defineCapability({
      category: 'careful',
      commands: {
        'careful.run': {
          description: 'runs',
          input: z.object({ what: requiredText('Missing what', 'What.') }),
          output: z.object({ ran: z.string() }),
          annotations,
          prepare: ({ what }) =>
            Promise.resolve({
              decision,
              reason: 'not that',
              subject: { path: `/bin/${what}` },
              run() {
                runs.push(what);
                return Promise.resolve({ ran: what });
              },
            }),
        },
      },
    });

  it.each(['allow', 'ask'] as const)('states its subject before it runs: %s', async (decision) => {
    const { source } = open(careful(decision));
    const prepared = await source.prepare!(requestOf('careful.run', { args: { what: 'true' } }));
    expect(prepared).toMatchObject({
      decision,
      subject: [{ key: 'arguments', raw: '{"path":"/bin/true"}' }],
    });
    const before = runs.length;
    const exchange = new HandExchange();
    prepared!.begin(exchange);
    await new Promise((resolve) => setImmediate(resolve));
    expect(runs.slice(before)).toEqual(['true']);
    expect(exchange.outcomes.map(({ kind }) => kind)).toEqual(['ok']);
  });

  it.each([
    ['deny', { what: 'true' }, 'not that'],
    ['allow', {}, 'Missing what'],
  ] as const)('does not run: %s %j', async (decision, args, text) => {
    const { source } = open(careful(decision));
    const before = runs.length;
    const prepared = await source.prepare!(requestOf('careful.run', { args }));
    const exchange = new HandExchange();
    prepared!.begin(exchange);
    expect(runs).toHaveLength(before);
    expect(exchange.outcomes.map(({ kind }) => kind)).toEqual(['not_executed']);
    expect(JSON.stringify(resultOf(exchange.outcomes[0]!))).toContain(text);
  });

  it('is undefined for commands without prepare', () => {
    const { source } = open(tries(() => ({ n: 1 })));
    expect(source.prepare!(requestOf('try.it'))).toBeUndefined();
  });
});

describe('resources', () => {
  const notified: [string, unknown][] = [];
  const client: Client = {
    ...STRANGER,
    notify: (method, params) => notified.push([method, parseBytes(params)]),
  };
  const record = {
    at: 0,
    caller: 'me',
    surface: 'http',
    server: 'device',
    method: 'tools/call',
    tool: 'try.it',
    outcome: 'ok',
    code: undefined,
    durationMs: 1.234,
    arguments: '{"secret":1}',
  } as const;

  it('list recent calls without arguments, and notify subscribers of changes', async () => {
    verifies('000-deferred-activity-resource');
    const { source } = open(tries(() => ({ n: 1 })));
    await source.watch('device://activity', client);
    source.activity.callEnded(record);
    source.activity.callEnded({ ...record, server: 'other' });
    expect(notified).toEqual([['notifications/resources/updated', { uri: 'device://activity' }]]);
    const outcome = await call(source, requestOf('device://activity', { method: 'resources/read' }));
    const { contents } = resultOf(outcome) as { contents: { text: string }[] };
    expect(JSON.parse(contents[0]!.text)).toEqual({
      calls: [
        {
          at: '1970-01-01T00:00:00.000Z',
          command: 'try.it',
          caller: 'me',
          surface: 'http',
          outcome: 'ok',
          durationMs: 1.2,
        },
      ],
    });
    source.forget(client);
    source.registry.reconsider();
    expect(notified).toHaveLength(1);
    await source.stop();
  });

  it('list every capability', async () => {
    verifies('000-deferred-activity-resource');
    const tried = open(tries(() => ({ n: 1 })));
    tried.off.add('try');
    const outcome = await call(
      tried.source,
      requestOf('device://capabilities', { method: 'resources/read' }),
    );
    const { contents } = resultOf(outcome) as { contents: { text: string }[] };
    expect(JSON.parse(contents[0]!.text)).toEqual({
      capabilities: [
        {
          category: 'try',
          states: [
            { commands: ['try.it'], available: true, backend: 'built in', switch: 'try', enabled: false },
          ],
        },
      ],
    });
  });

  it('reject unknown URIs', async () => {
    const { source } = open();
    const outcome = await call(source, requestOf('device://x', { method: 'resources/read' }));
    expect(outcome).toMatchObject({ kind: 'not_executed', reason: { code: 'RESOURCE_UNKNOWN' } });
    await expect(source.watch('device://x', client)).rejects.toThrow('not found');
  });
});
