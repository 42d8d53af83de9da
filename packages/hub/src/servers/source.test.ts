import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HandClient, HandExchange, toolRequest, type RequestParts } from '../../../../test/kit/fake-wire.ts';
import { verifies } from '../../../../test/verifies.ts';
import { parseConfig } from '../config/load.ts';
import { PincerError } from '../core/errors.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import type { Child, ChildEvents, Log } from '../core/ports.ts';
import type { Running, SourceRequest } from '../core/request.ts';
import { createRemoteSource, type RemoteSource } from './source.ts';

const QUIET: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
const LEGACY = '{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}';
const MODERN = '{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}';
const list = (...names: string[]): string =>
  `{"tools":[${names.map((name) => `{"name":"${name}","inputSchema":{"type":"object"}}`).join(',')}]}`;

interface Asked {
  readonly id?: string;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** A program that answers by method; other requests are left to the test. */
class Program {
  readonly asked: Asked[] = [];
  readonly events: ChildEvents;
  readonly child: Child;
  isStopped = false;

  constructor(events: ChildEvents, pid: number, answers: Readonly<Record<string, string>>) {
    this.events = events;
    const { asked } = this;
    const answer = (id: string, result: string): void => this.answer(id, result);
    const stop = (): void => void (this.isStopped = true);
    this.child = {
      pid,
      unsent: 0,
      write(line) {
        const message = JSON.parse(Buffer.from(line, 'latin1').toString()) as Asked;
        asked.push(message);
        const result = answers[message.method];
        if (result !== undefined && message.id !== undefined)
          queueMicrotask(() => answer(message.id!, result));
        return true;
      },
      pause: () => undefined,
      resume: () => undefined,
      async stop() {
        stop();
      },
    };
  }

  answer(id: string, result: string): void {
    if (!this.isStopped) this.events.onStdout(`{"jsonrpc":"2.0","id":"${id}","result":${result}}\n`);
  }

  say(message: string): void {
    this.events.onStdout(`${message}\n`);
  }

  methods(): string[] {
    return this.asked.map(({ method }) => method);
  }
}

interface Bench {
  readonly source: RemoteSource;
  /** Every program that was started, in order. */
  readonly programs: Program[];
  /** Every tool list that was received. */
  readonly lists: string[][];
  /** Every change that was reported after that. */
  readonly changes: string[];
  /** By method; the test may change them. */
  readonly answers: Record<string, string>;
  call(parts?: RequestParts, over?: Partial<SourceRequest>): { exchange: HandExchange; running: Running };
}

function bench(config: object = {}): Bench {
  const programs: Program[] = [];
  const lists: string[][] = [];
  const changes: string[] = [];
  const answers: Record<string, string> = {
    initialize: LEGACY,
    'tools/list': list('x'),
    'tools/call': '{"content":[]}',
  };
  const source = createRemoteSource('s', {
    config: parseConfig({ servers: { s: { command: 'server', ...config } } }, {}).servers['s']!,
    limits: { ...DEFAULT_LIMITS, maxOwnConnections: 4 },
    clock: { now: () => Date.now(), elapsed: () => Date.now() },
    log: QUIET,
    env: {},
    discoveryMs: 300_000,
    isLazy: () => (config as { start?: string }).start === 'lazy',
    vetsTools: () => true,
    admit: (attempt) => attempt(),
    spawn(_options, events) {
      const program = new Program(events, 100 + programs.length, answers);
      programs.push(program);
      return program.child;
    },
    onOffer: ({ tools }) => void lists.push(tools.map(({ name }) => name)),
    makeRoom: () => false,
    onListChanged: (kind) => void changes.push(kind),
  });
  return {
    source,
    programs,
    lists,
    changes,
    answers,
    call(parts, over = {}) {
      const exchange = new HandExchange();
      return { exchange, running: source.request({ ...toolRequest(parts), ...over }, exchange) };
    },
  };
}

/** How long changes are collected before a list is read. */
const LIST_PAUSE_MS = 250;
const settled = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

describe('over stdio', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    // The longest backoff, without random reduction.
    vi.spyOn(Math, 'random').mockReturnValue(0);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  describe('one connection', () => {
    it('serves all callers: one process, one handshake', async () => {
      verifies('004-1-live-connection', '004-3.1-one-connection');
      const { source, programs, call } = bench();
      await source.start();
      const calls = ['a', 'b', 'c'].flatMap((caller) => [
        call({ caller, session: '1' }),
        call({ caller, session: '2' }),
      ]);
      await settled();
      expect(calls.flatMap(({ exchange }) => exchange.kinds)).toEqual(Array(6).fill('ok'));
      expect(programs).toHaveLength(1);
      expect(programs[0]!.methods().filter((method) => method === 'initialize')).toHaveLength(1);
      expect(programs[0]!.methods().filter((method) => method === 'tools/call')).toHaveLength(6);
    });

    it('is opened by the first call if it was not started', async () => {
      const { source, programs, call } = bench();
      expect(source.state).toBe('idle');
      const calls = [call(), call()];
      await settled();
      expect(calls.map(({ exchange }) => exchange.kinds)).toEqual([['ok'], ['ok']]);
      expect(programs).toHaveLength(1);
      expect(source.state).toBe('ready');
    });

    it('reports its status', async () => {
      const { source, programs } = bench({ command: 'server', args: ['-v'] });
      await source.start();
      programs[0]!.events.onStderr('ready\n');
      expect(source.status()).toEqual({
        name: 's',
        state: 'ready',
        since: Date.now(),
        transport: 'stdio',
        target: 'server -v',
        origin: 'config.json',
        attempts: 0,
        nextTryAt: undefined,
        connects: 1,
        era: 'legacy',
        pid: 100,
        session: undefined,
        lastHeardAt: expect.any(Number) as number,
        inFlight: 0,
        repeated: 0,
        lastDiscoveryAt: Date.now(),
        discoveries: 1,
        discoveryFailures: 0,
        error: undefined,
        auth: { kind: 'none' },
        stderr: 'ready\n',
      });
      await source.stop();
    });

    it.each([
      ['caller', 2],
      ['session', 3],
    ])('is one per %s if configured', async (isolation, count) => {
      const { source, programs, call } = bench({ isolation });
      call({ caller: 'a', session: '1' });
      call({ caller: 'a', session: '2' });
      call({ caller: 'b', session: '1' });
      call({ caller: 'b', session: '1' });
      await settled();
      // Besides the main connection, which carries no calls here.
      const [main, ...own] = programs;
      expect(main!.methods()).not.toContain('tools/call');
      expect(own).toHaveLength(count);
      expect(own.every((program) => program.methods().includes('tools/call'))).toBe(true);
      await source.stop();
    });
  });

  describe('eras', () => {
    it('a modern server serves legacy callers over one connection', async () => {
      const { answers, programs, call, source } = bench();
      delete answers['initialize'];
      answers['server/discover'] = MODERN;
      call();
      await settled();
      const { id } = programs[0]!.asked[0]!;
      programs[0]!.say(`{"jsonrpc":"2.0","id":"${id}","error":{"code":-32601,"message":"no"}}`);
      await settled();
      const modern = call({ era: 'modern' });
      await settled();
      expect(modern.exchange.kinds).toEqual(['ok']);
      expect(source.status().era).toBe('modern');
      expect(programs).toHaveLength(1);
    });

    it('a legacy server serves modern callers over the shared connection', async () => {
      const { programs, call, source } = bench();
      await source.start();
      const first = call({ era: 'modern' });
      await settled();
      const refusing = programs[1]!;
      refusing.say(
        `{"jsonrpc":"2.0","id":"${refusing.asked[0]!.id}","error":{"code":-32601,"message":"no"}}`,
      );
      await settled();
      expect(first.exchange.kinds).toEqual(['ok']);
      expect(refusing.isStopped).toBe(true);
      expect(refusing.methods()).not.toContain('tools/call');
      const second = call({ era: 'modern' });
      await settled();
      expect(second.exchange.kinds).toEqual(['ok']);
      expect(programs).toHaveLength(2);
      expect(programs[0]!.methods().filter((method) => method === 'tools/call')).toHaveLength(2);
    });
  });

  describe('tools', () => {
    it('are read again when the server reports a change', async () => {
      verifies('004-3.1-dynamic-tools');
      const { source, programs, lists, changes, answers } = bench();
      await source.start();
      await settled();
      expect(lists.at(-1)).toEqual(['x']);
      expect(changes).toEqual([]);
      answers['tools/list'] = list('x', 'y');
      programs[0]!.say('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
      await vi.advanceTimersByTimeAsync(LIST_PAUSE_MS);
      expect(lists.at(-1)).toEqual(['x', 'y']);
      expect(changes).toEqual(['tools']);
      answers['tools/list'] = list();
      programs[0]!.say('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
      await vi.advanceTimersByTimeAsync(LIST_PAUSE_MS);
      expect(lists.at(-1)).toEqual([]);
    });

    it('that change during a read are read once more, not once per change', async () => {
      const { source, programs, lists, answers } = bench();
      await source.start();
      await settled();
      const before = programs[0]!.asked.length;
      delete answers['tools/list'];
      for (let count = 0; count < 10; count++)
        programs[0]!.say('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
      await vi.advanceTimersByTimeAsync(LIST_PAUSE_MS);
      expect(programs[0]!.asked).toHaveLength(before + 1);
      answers['tools/list'] = list('late');
      programs[0]!.say('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
      programs[0]!.answer(programs[0]!.asked.at(-1)!.id!, list('early'));
      await vi.advanceTimersByTimeAsync(LIST_PAUSE_MS);
      expect(programs[0]!.asked).toHaveLength(before + 2);
      expect(lists.at(-1)).toEqual(['late']);
    });

    it('that the server refuses to list are a problem, resolved by the next list', async () => {
      const { source, programs, answers } = bench();
      delete answers['tools/list'];
      const started = source.start().catch((error: unknown) => error);
      await settled();
      for (const { id, method } of programs[0]!.asked)
        if (method === 'tools/list')
          programs[0]!.say(`{"jsonrpc":"2.0","id":"${id}","error":{"code":-1,"message":"not now"}}`);
      expect(await started).toMatchObject({ code: 'SERVER_PROTOCOL' });
      expect(source.status()).toMatchObject({ state: 'ready', error: { code: 'SERVER_PROTOCOL' } });
      answers['tools/list'] = list('x');
      programs[0]!.say('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
      await vi.advanceTimersByTimeAsync(60_000);
      expect(source.status().error).toBeUndefined();
    });
  });

  describe('a client that can be asked', () => {
    const SAMPLING = '{"sampling":{"tools":{}}}';
    const declared = (program: Program): unknown =>
      (program.asked.find(({ method }) => method === 'initialize')!.params as { capabilities: unknown })
        .capabilities;
    const question = (id: number, method = 'sampling/createMessage'): string =>
      `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{}}`;
    const answersOf = (program: Program): unknown[] =>
      program.asked.filter(({ method }) => method === undefined);

    it('has its own process of a legacy server, with the client’s capabilities', async () => {
      const { source, programs, call } = bench();
      await source.start();
      const able = call({ session: '1', capabilities: SAMPLING });
      const other = call({ session: '2' });
      await settled();
      expect(programs).toHaveLength(2);
      expect([declared(programs[0]!), declared(programs[1]!)]).toEqual([{}, { sampling: { tools: {} } }]);
      expect([able.exchange.kinds, other.exchange.kinds]).toEqual([['ok'], ['ok']]);
      call({ session: '1', capabilities: SAMPLING });
      await settled();
      expect(programs).toHaveLength(2);
    });

    it('is asked on behalf of its call', async () => {
      verifies('004-17-sampling');
      const { source, programs, answers, call } = bench();
      delete answers['tools/call'];
      await source.start();
      const { exchange } = call({ session: '1', capabilities: SAMPLING });
      await settled();
      programs[1]!.say(question(7));
      expect(exchange.questions).toMatchObject([{ method: 'sampling/createMessage' }]);
      exchange.questions[0]!.answer({ result: '{"ok":true}' });
      expect(answersOf(programs[1]!)).toEqual([{ jsonrpc: '2.0', id: 7, result: { ok: true } }]);
    });

    it('without a session has a process per call, and questions never reach another call', async () => {
      const { source, programs, answers, call } = bench();
      delete answers['tools/call'];
      await source.start();
      const able = { era: 'modern', capabilities: SAMPLING } as const;
      // The server must first be known as a legacy one.
      call(able);
      await vi.advanceTimersByTimeAsync(3_000);
      const running = (): Program[] =>
        programs.filter((program) => !program.isStopped && program.methods().includes('tools/call'));
      expect(running()).toHaveLength(1);
      const { exchange } = call(able);
      await settled();
      const [first, second] = running();
      second!.say(question(7));
      expect(exchange.questions).toHaveLength(1);
      expect(answersOf(first!)).toEqual([]);
      // The next call reuses a free process.
      first!.answer(first!.asked.find(({ method }) => method === 'tools/call')!.id!, '{}');
      const before = programs.length;
      call(able);
      await settled();
      expect(programs).toHaveLength(before);
      expect(first!.methods().filter((method) => method === 'tools/call')).toHaveLength(2);
    });

    it('shares no connection with simultaneous clients, even before the era is known', async () => {
      const { source, programs, call } = bench();
      await source.start();
      const calls = [
        call({ era: 'modern', capabilities: SAMPLING, caller: 'a' }),
        call({ era: 'modern', caller: 'b' }),
        call({ era: 'modern', capabilities: SAMPLING, caller: 'c' }),
        call({ era: 'modern', capabilities: SAMPLING, caller: 'c' }),
      ];
      await vi.advanceTimersByTimeAsync(3_000);
      expect(calls.flatMap(({ exchange }) => exchange.kinds)).toEqual(Array(4).fill('ok'));
      const used = programs
        .map((program) => program.methods().filter((method) => method === 'tools/call').length)
        .filter((count) => count > 0);
      expect(used).toEqual([1, 1, 1, 1]);
      expect(programs[0]!.methods()).toContain('tools/call');
    });

    it('without a session is refused above the limit of processes', async () => {
      const { source, answers, call } = bench();
      delete answers['tools/call'];
      await source.start();
      const able = { era: 'modern', capabilities: SAMPLING } as const;
      call(able);
      await vi.advanceTimersByTimeAsync(3_000);
      call(able);
      const { exchange } = call(able);
      expect(exchange.kinds).toEqual(['not_executed']);
      expect(exchange.reason.code).toBe('SERVER_BUSY');
      const other = call({ ...able, caller: 'd' });
      await settled();
      expect(other.exchange.outcomes).toEqual([]);
    });

    it.each([
      ['never', '{"sampling":{},"roots":{}}'],
      ['auto', '{"roots":{}}'],
    ])('whose roots are not passed on (%s) never shows them to the server', async (roots, capabilities) => {
      const { source, programs, answers, call } = bench({ roots });
      delete answers['tools/call'];
      await source.start();
      const { exchange } = call({ session: '1', capabilities });
      await settled();
      const program = programs.at(-1)!;
      expect(declared(program)).not.toHaveProperty('roots');
      program.say(question(7, 'roots/list'));
      expect(exchange.questions).toEqual([]);
      expect(answersOf(program)).toMatchObject([{ id: 7, error: { code: -32601 } }]);
    });

    it('gets messages outside of calls on its own connection, and its notifications go there', async () => {
      const { source, programs } = bench();
      const client = new HandClient({ session: '1', capabilities: SAMPLING });
      await source.start();
      source.request({ ...toolRequest(), client }, new HandExchange());
      await settled();
      programs[1]!.say('{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b"}}');
      programs[1]!.say('{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{}}');
      programs[0]!.say('{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{}}');
      expect(client.notified).toEqual([
        'notifications/resources/updated {"uri":"a:b"}',
        'notifications/elicitation/complete {}',
      ]);
      programs[1]!.say(question(7));
      expect(client.questions).toHaveLength(1);
      source.tell(client, 'notifications/roots/list_changed', '{}');
      source.tell(new HandClient(), 'notifications/roots/list_changed', '{}');
      expect(
        programs.map((program) => program.methods().includes('notifications/roots/list_changed')),
      ).toEqual([false, true]);
    });

    it('gets list changes on its own connection, which are not reported to others', async () => {
      const { source, programs, changes, call } = bench();
      await source.start();
      call({ session: '1', capabilities: SAMPLING });
      await vi.advanceTimersByTimeAsync(LIST_PAUSE_MS);
      programs[1]!.say('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
      await vi.advanceTimersByTimeAsync(LIST_PAUSE_MS);
      expect(changes).toEqual([]);
      programs[0]!.say('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
      await vi.advanceTimersByTimeAsync(LIST_PAUSE_MS);
      expect(changes).toEqual(['tools']);
    });

    it('ends its process when it disconnects', async () => {
      const { source, programs, call } = bench();
      await source.start();
      call({ session: '1', capabilities: SAMPLING });
      call({ session: '2', capabilities: SAMPLING });
      await settled();
      source.forget(new HandClient({ session: '1' }));
      source.forget(new HandClient());
      await settled();
      expect(programs.map(({ isStopped }) => isStopped)).toEqual([false, true, false]);
    });
  });

  describe('a subscription', () => {
    const change = (uri = 'a:b', method = 'resources/subscribe') => ({
      method,
      name: uri,
      params: [{ key: 'uri', raw: `"${uri}"` }],
    });
    const UPDATED = '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b"}}';

    it.each(['shared', 'caller', 'session'])(
      'with isolation "%s" notifies all subscribers',
      async (isolation) => {
        verifies('004-17-subscribe');
        const { source, programs, answers } = bench({ isolation });
        answers['resources/subscribe'] = '{}';
        await source.start();
        const clients = ['1', '2', '3'].map((session) => new HandClient({ session }));
        const exchanges = clients.slice(0, 2).map((client) => {
          const exchange = new HandExchange();
          source.request({ ...toolRequest(), ...change(), client }, exchange);
          return exchange;
        });
        await settled();
        expect(exchanges.map(({ kinds }) => kinds)).toEqual([['ok'], ['ok']]);
        for (const program of programs)
          if (program.methods().includes('resources/subscribe')) program.say(UPDATED);
        expect(clients.map(({ notified }) => notified.length)).toEqual([1, 1, 0]);
      },
    );

    it('is copied to a source that replaces another', async () => {
      const [before, after] = [bench(), bench()];
      before.answers['resources/subscribe'] = '{}';
      after.answers['resources/subscribe'] = '{}';
      await before.source.start();
      const client = new HandClient({ session: '1' });
      before.source.request({ ...toolRequest(), ...change(), client }, new HandExchange());
      await settled();
      after.source.succeed(before.source);
      await before.source.stop();
      await settled();
      expect(after.programs[0]!.methods()).toContain('resources/subscribe');
      after.programs[0]!.say(UPDATED);
      expect(client.notified).toHaveLength(1);
    });

    it('is renewed after the server reconnected', async () => {
      const { source, programs, answers } = bench();
      answers['resources/subscribe'] = '{}';
      await source.start();
      const client = new HandClient({ session: '1' });
      await source.watch('a:b', client);
      programs[0]!.events.onExit('was killed');
      await vi.advanceTimersByTimeAsync(1_000);
      expect(programs[1]!.methods()).toContain('resources/subscribe');
      programs[1]!.say(UPDATED);
      expect(client.notified).toHaveLength(1);
      source.forget(client);
      programs[1]!.say(UPDATED);
      expect(client.notified).toHaveLength(1);
    });

    it('at an unreachable server is not_executed', async () => {
      const { source, programs, answers, call } = bench();
      await source.start();
      delete answers['initialize'];
      programs[0]!.events.onExit('was killed');
      const { exchange } = call({}, change());
      await settled();
      programs.at(-1)!.events.onExit('died at once');
      await settled();
      expect(exchange.kinds).toEqual(['not_executed']);
      expect(exchange.reason.code).toBe('SERVER_UNREACHABLE');
    });
  });

  describe('a server that changes its era', () => {
    const refuse = (program: Program, method: string): void => {
      const { id } = program.asked.find((each) => each.method === method)!;
      program.say(`{"jsonrpc":"2.0","id":"${id}","error":{"code":-32601,"message":"no"}}`);
    };

    it('after a restart is used in the new era, and no call waits forever', async () => {
      const { source, programs, answers, call } = bench({ isolation: 'session' });
      await source.start();
      // A legacy server: a modern request falls back to legacy.
      call({ era: 'modern', session: '1' });
      await settled();
      refuse(programs[1]!, 'server/discover');
      await settled();
      // From now on a modern one.
      delete answers['initialize'];
      answers['server/discover'] = MODERN;
      for (const program of programs) program.events.onExit('was replaced');
      await vi.advanceTimersByTimeAsync(1_000);
      refuse(programs.at(-1)!, 'initialize');
      await settled();
      expect(source.status().era).toBe('modern');
      const { exchange } = call({ era: 'modern', session: '2' });
      for (let round = 0; round < 4; round++) {
        await settled();
        const program = programs.at(-1)!;
        if (program.methods().at(-1) === 'initialize') refuse(program, 'initialize');
      }
      await vi.advanceTimersByTimeAsync(120_000);
      expect(exchange.kinds).toEqual(['ok']);
    });

    it('has the full timeout in its known era, and a shorter one in the other', async () => {
      const { source, programs, answers, call } = bench();
      await source.start();
      delete answers['initialize'];
      const { exchange } = call({ era: 'modern' });
      await vi.advanceTimersByTimeAsync(3_000);
      // The probe of the other era timed out; the known era has its full time.
      expect(programs[1]!.methods()).toEqual(['server/discover', 'initialize']);
      await vi.advanceTimersByTimeAsync(30_000);
      expect(exchange.outcomes).toEqual([]);
      programs[1]!.answer(programs[1]!.asked[1]!.id!, LEGACY);
      await settled();
      expect(exchange.kinds).toEqual(['ok']);
    });
  });

  describe('a server that dies', () => {
    it('is restarted after a second', async () => {
      verifies('004-3.1-reconnect');
      const { source, programs, call } = bench();
      await source.start();
      programs[0]!.events.onExit('was killed');
      expect(source.status()).toMatchObject({ state: 'backoff', error: { code: 'SERVER_GONE' } });
      await vi.advanceTimersByTimeAsync(999);
      expect(programs).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(1);
      expect(programs).toHaveLength(2);
      expect(source.status()).toMatchObject({ state: 'ready', error: undefined });
      const { exchange } = call();
      await settled();
      expect(exchange.kinds).toEqual(['ok']);
    });

    it('is restarted at once for a call', async () => {
      const { source, programs, call } = bench();
      await source.start();
      programs[0]!.events.onExit('was killed');
      const { exchange } = call();
      await vi.advanceTimersByTimeAsync(LIST_PAUSE_MS);
      expect(exchange.kinds).toEqual(['ok']);
      expect(programs).toHaveLength(2);
    });

    it('ends running calls as outcome_unknown, and none is sent twice', async () => {
      const { source, programs, answers, call } = bench();
      await source.start();
      delete answers['tools/call'];
      const { exchange } = call();
      programs[0]!.events.onExit('was killed');
      await vi.advanceTimersByTimeAsync(10_000);
      expect(exchange.kinds).toEqual(['outcome_unknown']);
      expect(programs[1]!.methods()).not.toContain('tools/call');
    });

    it('repeatedly is retried with growing delay, up to a minute', async () => {
      verifies('004-10-backoff');
      const { source, programs, answers } = bench();
      await source.start();
      delete answers['initialize'];
      programs[0]!.events.onExit('was killed');
      for (const wait of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
        const before = programs.length;
        await vi.advanceTimersByTimeAsync(wait - 1);
        expect(programs).toHaveLength(before);
        await vi.advanceTimersByTimeAsync(1);
        expect(programs).toHaveLength(before + 1);
        programs.at(-1)!.events.onExit('died at once');
        await settled();
      }
    });
  });

  describe('a server that crashes repeatedly', () => {
    const crashAndWait = async ({ programs }: Bench): Promise<number> => {
      const before = programs.length;
      const diedAt = Date.now();
      programs.at(-1)!.events.onExit('was killed');
      while (programs.length === before) await vi.advanceTimersByTimeAsync(250);
      return Date.now() - diedAt;
    };

    it('is retried with growing delay, until it held for half a minute', async () => {
      verifies('004-10-backoff');
      const it = bench();
      await it.source.start();
      expect([await crashAndWait(it), await crashAndWait(it), await crashAndWait(it)]).toEqual([
        1_000, 2_000, 4_000,
      ]);
      await vi.advanceTimersByTimeAsync(30_000);
      expect([await crashAndWait(it), await crashAndWait(it)]).toEqual([1_000, 2_000]);
    });
  });

  it('a server that keeps crashing is restarted for a call after a short pause, not after its backoff', async () => {
    const { source, programs, call } = bench();
    await source.start();
    for (let death = 0; death < 6; death++) {
      programs.at(-1)!.events.onExit('was killed');
      const { exchange } = call();
      await vi.advanceTimersByTimeAsync(1_000);
      expect(exchange.kinds).toEqual(['ok']);
    }
    expect(programs).toHaveLength(7);
    await source.stop();
  });

  describe('a server that cannot start', () => {
    const failOnce = async ({ source, programs, answers }: Bench): Promise<unknown> => {
      delete answers['initialize'];
      const started = source.start().catch((error: unknown) => error);
      await settled();
      programs[0]!.events.onExit('exited with code 1');
      return started;
    };
    const failAgain = async ({ programs }: Bench, afterMs: number): Promise<void> => {
      await vi.advanceTimersByTimeAsync(afterMs);
      programs.at(-1)!.events.onExit('exited with code 1');
      await settled();
    };

    it('fails its start, and a call waits for the third attempt before it fails', async () => {
      const it = bench();
      expect(await failOnce(it)).toMatchObject({ code: 'SERVER_GONE' });
      const { exchange } = it.call();
      await settled();
      expect(it.source.status()).toMatchObject({
        state: 'backoff',
        attempts: 1,
        nextTryAt: Date.now() + 1_000,
      });
      await failAgain(it, 1_000);
      expect(exchange.kinds).toEqual([]);
      await failAgain(it, 2_000);
      expect(exchange.kinds).toEqual(['not_executed']);
      expect(exchange.reason).toMatchObject({ code: 'SERVER_UNREACHABLE' });
      expect(exchange.reason.message).toContain('exited with code 1');
      expect(it.programs).toHaveLength(3);
    });

    it('answers a waiting call if it comes back meanwhile', async () => {
      const it = bench();
      await failOnce(it);
      const { exchange } = it.call();
      await failAgain(it, 1_000);
      it.answers['initialize'] = LEGACY;
      await vi.advanceTimersByTimeAsync(2_000);
      expect(exchange.kinds).toEqual(['ok']);
    });

    it('fails calls at once after the third attempt, and later each call is an attempt', async () => {
      const it = bench();
      await failOnce(it);
      await failAgain(it, 1_000);
      await failAgain(it, 2_000);
      const early = it.call();
      await settled();
      expect(early.exchange.kinds).toEqual(['not_executed']);
      expect(it.programs).toHaveLength(3);
      await vi.advanceTimersByTimeAsync(1_500);
      const late = it.call();
      await settled();
      expect(it.programs).toHaveLength(4);
      it.programs.at(-1)!.events.onExit('exited with code 1');
      await settled();
      expect(late.exchange.kinds).toEqual(['not_executed']);
    });

    it('lets a waiting call be cancelled as not_executed', async () => {
      const it = bench();
      await failOnce(it);
      const { exchange, running } = it.call();
      running.cancel('never mind');
      expect(exchange.kinds).toEqual(['not_executed']);
      expect(exchange.reason).toMatchObject({ code: 'CALL_CANCELLED' });
    });

    it('does not delay a call longer than its start may take', async () => {
      const { answers, call, programs } = bench();
      delete answers['initialize'];
      const { exchange } = call();
      await vi.advanceTimersByTimeAsync(60_000);
      expect(exchange.kinds).toEqual(['not_executed']);
      expect(programs[0]!.isStopped).toBe(true);
    });
  });

  describe('a lost call', () => {
    it('that is read-only is repeated once, on the next process', async () => {
      const { source, programs, answers, call } = bench();
      await source.start();
      delete answers['tools/call'];
      const { exchange } = call({}, { isRepeatable: true });
      programs[0]!.events.onExit('was killed');
      await vi.advanceTimersByTimeAsync(LIST_PAUSE_MS);
      expect(exchange.kinds).toEqual([]);
      expect(programs[1]!.methods()).toContain('tools/call');
      programs[1]!.events.onExit('was killed');
      await vi.advanceTimersByTimeAsync(10_000);
      expect(exchange.kinds).toEqual(['outcome_unknown']);
      expect(source.status().repeated).toBe(1);
    });
  });

  describe('the offer', () => {
    it('is read again periodically', async () => {
      verifies('004-12.2-discovery-interval');
      const { source, lists, answers } = bench();
      await source.start();
      answers['tools/list'] = list('y');
      await vi.advanceTimersByTimeAsync(300_000);
      expect(lists).toEqual([['x'], ['y']]);
      await source.stop();
    });

    it('is read again when the server does not know one of its tools', async () => {
      const { source, lists, answers, call } = bench();
      await source.start();
      await vi.advanceTimersByTimeAsync(LIST_PAUSE_MS);
      answers['tools/list'] = list('y');
      answers['tools/call'] = '{"content":[{"type":"text","text":"Tool x not found"}],"isError":true}';
      const { exchange } = call();
      await vi.advanceTimersByTimeAsync(LIST_PAUSE_MS);
      expect(exchange.kinds).toEqual(['tool_error']);
      expect(lists).toEqual([['x'], ['y']]);
    });
  });

  describe('a tool that may have changed while its server was away', () => {
    const CHANGED = new PincerError('TOOL_WITHDRAWN', 'It has changed.');

    it('is not called before the new list was read and checked', async () => {
      const { source, programs, answers, lists, call } = bench();
      await source.start();
      await vi.advanceTimersByTimeAsync(LIST_PAUSE_MS);
      delete answers['tools/list'];
      programs[0]!.events.onExit('was updated');
      const { exchange } = call({}, { recheck: () => (lists.at(-1)?.includes('y') ? CHANGED : undefined) });
      await vi.advanceTimersByTimeAsync(1_000);
      expect(exchange.kinds).toEqual([]);
      const { id } = programs[1]!.asked.find(({ method }) => method === 'tools/list')!;
      programs[1]!.answer(id!, list('y'));
      await settled();
      expect(exchange.kinds).toEqual(['not_executed']);
      expect(exchange.reason).toBe(CHANGED);
      expect(programs[1]!.methods()).not.toContain('tools/call');
    });

    it('is not called if the server does not send its list', async () => {
      const { answers, programs, call } = bench();
      delete answers['tools/list'];
      const { exchange } = call();
      await vi.advanceTimersByTimeAsync(60_000);
      expect(exchange.kinds).toEqual(['not_executed']);
      expect(programs[0]!.methods()).not.toContain('tools/call');
    });

    it('is checked again before a call is repeated', async () => {
      const { source, programs, answers, call } = bench();
      await source.start();
      delete answers['tools/call'];
      const { exchange } = call({}, { isRepeatable: true, recheck: () => CHANGED });
      programs[0]!.events.onExit('was killed');
      await vi.advanceTimersByTimeAsync(1_000);
      // The first attempt may have run.
      expect(exchange.kinds).toEqual(['outcome_unknown']);
      expect(programs[1]!.methods()).not.toContain('tools/call');
    });
  });

  describe('a lazy server', () => {
    it('is stopped when it is not used for a while, and started again by the next call', async () => {
      const { source, programs, call } = bench({ start: 'lazy' });
      await source.start();
      await vi.advanceTimersByTimeAsync(DEFAULT_LIMITS.serverIdleMs + DEFAULT_LIMITS.serverIdleMs / 4);
      expect(source.state).toBe('idle');
      expect(programs[0]!.isStopped).toBe(true);
      await vi.advanceTimersByTimeAsync(120_000);
      expect(programs).toHaveLength(1);
      const { exchange } = call();
      await settled();
      expect(exchange.kinds).toEqual(['ok']);
      expect(programs).toHaveLength(2);
      await source.stop();
    });
  });

  describe('the end', () => {
    it('stops every process, ends every call, and restarts nothing', async () => {
      const { source, programs, answers, call } = bench({ isolation: 'caller' });
      delete answers['tools/call'];
      await source.start();
      const calls = [call({ caller: 'a' }), call({ caller: 'b' })];
      await settled();
      await source.stop();
      expect(programs.map(({ isStopped }) => isStopped)).toEqual([true, true, true]);
      expect(calls.map(({ exchange }) => exchange.kinds)).toEqual([['outcome_unknown'], ['outcome_unknown']]);
      const late = call();
      await settled();
      expect(late.exchange.kinds).toEqual(['not_executed']);
      for (const { events } of programs) events.onExit('ended');
      await vi.advanceTimersByTimeAsync(120_000);
      expect(programs).toHaveLength(3);
      expect(source.state).toBe('stopped');
    });
  });
});

describe('over HTTP', () => {
  it('drops a lost session, and the call that noticed it starts a new one with initialize', async () => {
    verifies('004-4.4-session-404', '004-4.6-post-first');
    const seen: string[] = [];
    let sessions = 0;
    let valid = '';
    const respond = (response: ServerResponse, id: string, result: string, headers = {}): void =>
      void response
        .writeHead(200, { 'content-type': 'application/json', ...headers })
        .end(`{"jsonrpc":"2.0","id":"${id}","result":${result}}`);
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        const session = request.headers['mcp-session-id'] as string | undefined;
        const { id = '', method = request.method! } = (body === '' ? {} : JSON.parse(body)) as Partial<Asked>;
        seen.push(`${method} ${session ?? '-'}`);
        if (method === 'initialize') {
          valid = `session-${++sessions}`;
          respond(response, id, LEGACY, { 'mcp-session-id': valid });
        } else if (session !== valid) response.writeHead(404).end();
        else if (id === '') response.writeHead(202).end();
        else respond(response, id, method === 'tools/list' ? list('x') : '{"content":[]}');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const source = createRemoteSource('s', {
      config: parseConfig({ servers: { s: { url: `http://127.0.0.1:${port}/mcp` } } }, {}).servers['s']!,
      limits: DEFAULT_LIMITS,
      clock: { now: () => Date.now(), elapsed: () => performance.now() },
      log: QUIET,
      env: {},
      discoveryMs: 0,
      isLazy: () => false,
      vetsTools: () => true,
      admit: (attempt) => attempt(),
      spawn: () => expect.unreachable('there is no process'),
      onOffer: () => undefined,
      makeRoom: () => false,
      onListChanged: () => undefined,
    });
    const call = async (): Promise<string[]> => {
      const exchange = new HandExchange();
      source.request(toolRequest(), exchange);
      await expect.poll(() => exchange.outcomes.length, { interval: 2 }).toBe(1);
      return exchange.kinds;
    };
    await source.start();
    expect(seen.slice(0, 2)).toEqual(['server/discover -', 'initialize -']);
    expect(await call()).toEqual(['ok']);
    valid = 'forgotten';
    expect(await call()).toEqual(['ok']);
    expect(seen.filter((line) => line.startsWith('initialize'))).toEqual(['initialize -', 'initialize -']);
    expect(seen.findLast((line) => line.startsWith('tools/call'))).toBe('tools/call session-2');
    await source.stop();
    expect(seen.at(-1)).toBe('DELETE session-2');
    server.closeAllConnections();
    server.close();
  });
});
