/** For any actions in any order, no app sees, calls, ends or answers for anything of another app. */
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bridgeBench, HandSocket } from '../../../../test/kit/bridge-bench.ts';
import { STRANGER } from '../core/client.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import type { Outcome } from '../core/outcome.ts';
import type { Source, SourceRequest } from '../core/request.ts';
import { fromByteText, jsonBytes } from '../core/wire/byte-text.ts';
import { readMembers } from '../core/wire/members.ts';
import type { OpenBridge } from '../core/app-bridge.ts';
import { createRegistrar } from './registrar.ts';
import type { Session } from './directory/session-directory.ts';
import { createBridgeSource } from './source.ts';
import { offerOf } from './tools/app-offers.ts';
import { createPreparedTools } from './tools/prepared-tools.ts';
import { createSessionCatalog } from './tools/session-catalog.ts';

const APPS = ['ann', 'bob', 'cy'] as const;
type App = (typeof APPS)[number];

/** All apps have tools of the same names. The description shows the app. */
const nameAt = (at: number): string => `tool${at}`;
const toolOf = (app: App, at: number): object => ({ name: nameAt(at), description: `of ${app}` });

interface Bridge extends OpenBridge {
  readonly app: App;
  readonly sessionId: string;
  readonly socket: HandSocket;
}

class TestProxy {
  readonly bench = bridgeBench({ maxSessionsPerApp: 20 });
  readonly sessions: { app: App; id: string; session: Session }[] = [];
  readonly bridges: Bridge[] = [];
  readonly registrar = createRegistrar({
    directory: this.bench.directory,
    bridges: this.bench.bridges,
    limits: DEFAULT_LIMITS,
    onEvent: () => undefined,
    onFailed: () => undefined,
  });
  readonly #prepare = createPreparedTools(10_000);
  readonly #catalog = createSessionCatalog(this.bench.directory, this.#prepare);
  readonly #source = createBridgeSource({
    directory: this.bench.directory,
    bridges: this.bench.bridges,
    prepare: this.#prepare,
  });

  async register(app: App, tools: number): Promise<void> {
    const body = jsonBytes({ tools: Array.from({ length: tools }, (_, at) => toolOf(app, at)) });
    const id = await this.registrar.register(keyOf(app), body);
    this.sessions.push({ app, id, session: (await this.bench.directory.find(id))! });
  }

  async remove(app: App, at: number): Promise<void> {
    const session = this.#at(at);
    if (session === undefined) return;
    const isThere = this.bench.directory.isLive(session.session);
    expect(await this.registrar.remove(keyOf(app), session.id)).toBe(isThere && session.app === app);
  }

  async connect(app: App, at: number): Promise<void> {
    const session = this.#at(at);
    if (session === undefined) return;
    const socket = new HandSocket();
    const isThere = this.bench.directory.isLive(session.session);
    const bridge = await this.registrar.connect(keyOf(app), session.id, socket);
    expect('hear' in bridge).toBe(isThere && session.app === app);
    if ('code' in bridge) return expect(bridge.code).toBe(4404);
    bridge.hear('{"type":"hello","version":1,"features":["tools_changed"]}');
    this.bridges.push({ ...bridge, app, sessionId: session.id, socket });
  }

  /** An app sends a frame about a session and a call that may belong to another app. */
  say(at: number, about: number, kind: 'tools' | 'answer'): void {
    const bridge = this.bridges[at % this.bridges.length];
    const session = this.#at(about);
    if (bridge === undefined || session === undefined) return;
    const mark = { mcpSessionId: session.id };
    if (kind === 'tools')
      bridge.hear(JSON.stringify({ type: 'tools_changed', ...mark, tools: [toolOf(bridge.app, 9)] }));
    else
      for (const request_id of this.bridges.flatMap(({ socket }) => socket.requests))
        bridge.hear(
          JSON.stringify({ type: 'invoke_result', ...mark, request_id, ok: true, content: bridge.app }),
        );
  }

  /** Calls one session, and the app as a whole. The answer is marked with the called app. */
  async call(app: App, at: number, tool: number): Promise<void> {
    const session = this.#at(at);
    if (session === undefined) return;
    const outcomes: Outcome[] = [];
    const exchange = {
      notify: () => undefined,
      ask: () => ({ withdraw: () => undefined }),
      settle: (outcome: Outcome) => void outcomes.push(outcome),
    };
    const asked: [App, Session | undefined, Source][] = [
      [session.app, session.session, this.#source.ofSessions],
      [app, undefined, this.#source.ofApp(app)],
    ];
    for (const [owner, view, source] of asked) {
      const before = this.bridges.map(({ socket }) => socket.requests.length);
      source.request({ ...REQUEST, name: nameAt(tool), view }, exchange);
      await setImmediate();
      for (const [index, bridge] of this.bridges.entries())
        if (bridge.socket.requests.length > before[index]!) {
          expect(bridge.app).toBe(owner);
          const id = bridge.socket.requests.at(-1)!;
          bridge.hear(answerOf(bridge.sessionId, id, bridge.app));
          const outcome = outcomes.at(-1)!;
          expect('result' in outcome && fromByteText(outcome.result)).toContain(`"${owner}"`);
        }
    }
  }

  async check(): Promise<void> {
    for (const { app, session } of this.sessions)
      for (const { server, definition } of this.#catalog.list(session)) {
        expect(server).toBe(app);
        expect(definition.raw).toContain(`"of ${app}"`);
      }
    for (const app of APPS)
      for (const { raw } of offerOf(await this.bench.directory.list(app), DEFAULT_LIMITS).tools)
        expect(raw).toContain(`"of ${app}"`);
    for (const { sessionId, socket } of this.bridges)
      for (const frame of socket.frames('invoke_tool')) expect(frame['mcpSessionId']).toBe(sessionId);
  }

  #at(at: number): TestProxy['sessions'][number] | undefined {
    return this.sessions[at % this.sessions.length];
  }
}

const keyOf = (app: App): { app: App; credential: string } => ({ app, credential: `key of ${app}` });

const answerOf = (mcpSessionId: string, request_id: string, content: string): string =>
  JSON.stringify({ type: 'invoke_result', mcpSessionId, request_id, ok: true, content });

const REQUEST: SourceRequest = {
  method: 'tools/call',
  name: undefined,
  params: readMembers('{"arguments":{}}'),
  meta: [],
  era: 'modern',
  caller: { id: 'c', name: 'c', scopes: {} },
  client: STRANGER,
};

const app = fc.constantFrom(...APPS);
const index = fc.nat({ max: 11 });

const step: fc.Arbitrary<(proxy: TestProxy) => Promise<void> | void> = fc.oneof(
  fc.tuple(app, fc.integer({ min: 1, max: 3 })).map(
    ([who, tools]) =>
      (proxy: TestProxy) =>
        proxy.register(who, tools),
  ),
  fc.tuple(app, index).map(
    ([who, at]) =>
      (proxy: TestProxy) =>
        proxy.remove(who, at),
  ),
  fc.tuple(app, index).map(
    ([who, at]) =>
      (proxy: TestProxy) =>
        proxy.connect(who, at),
  ),
  fc.tuple(app, index).map(
    ([who, at]) =>
      (proxy: TestProxy) =>
        proxy.connect(who, at),
  ),
  fc.tuple(index, index, fc.constantFrom('tools', 'answer')).map(
    ([at, about, kind]) =>
      (proxy: TestProxy) =>
        proxy.say(at, about, kind),
  ),
  fc.tuple(app, index, fc.nat({ max: 3 })).map(
    ([who, at, tool]) =>
      (proxy: TestProxy) =>
        proxy.call(who, at, tool),
  ),
);

it('keeps apps apart for any order of actions', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      const proxy = new TestProxy();
      try {
        for (const each of steps) await each(proxy);
        await proxy.check();
      } finally {
        proxy.bench.bridges.stop();
      }
    }),
    { numRuns: 300 },
  );
});
