/** Bridges without sockets. Records what each app was sent and how each call ended. For unit tests. */
import { DEFAULT_LIMITS, type Limits } from '../../packages/hub/src/core/limits.ts';
import type { Outcome } from '../../packages/hub/src/core/outcome.ts';
import type { Running, SourceRequest } from '../../packages/hub/src/core/request.ts';
import { STRANGER } from '../../packages/hub/src/core/client.ts';
import { fromByteText, jsonBytes } from '../../packages/hub/src/core/wire/byte-text.ts';
import { readMembers } from '../../packages/hub/src/core/wire/members.ts';
import { createBridges, type NewAppEvent, type Bridges } from '../../packages/hub/src/apps/calls/bridges.ts';
import type { BridgeConnection } from '../../packages/hub/src/apps/calls/bridge-connection.ts';
import { PING_TEXT, type BridgeRefusal, type BridgeSocket } from '../../packages/hub/src/core/app-bridge.ts';
import { readTools } from '../../packages/hub/src/apps/registration/read-registration.ts';
import type { Session } from '../../packages/hub/src/apps/directory/session-directory.ts';
import { registrationOf, sessionBench } from './session-bench.ts';

type Frame = Readonly<Record<string, unknown>> & { readonly type: string };

export class HandSocket implements BridgeSocket {
  readonly sent: Frame[] = [];
  readonly texts: string[] = [];
  unsentBytes = 0;
  isOpen = true;
  closedWith: number | undefined;

  send(text: string): void {
    this.texts.push(text);
    this.sent.push(JSON.parse(text) as Frame);
  }

  ping(): void {
    this.send(PING_TEXT);
  }

  close(code: number): void {
    this.isOpen = false;
    this.closedWith ??= code;
  }

  frames(type: string): Frame[] {
    return this.sent.filter((frame) => frame.type === type);
  }

  /** Request ids of the calls, in order of arrival. */
  get requests(): string[] {
    return this.frames('invoke_tool').map((frame) => String(frame['request_id']));
  }
}

/** An accepted bridge. */
export interface FakeBridge {
  readonly socket: HandSocket;
  readonly connection: BridgeConnection;
  say(frame: object | string): void;
  hello(...features: string[]): void;
  answer(requestId: string, content: unknown, more?: object): void;
}

export interface FakeCall {
  readonly running: Running;
  readonly notified: { method: string; params: unknown }[];
  /** Undefined while the call is running. Throws if the call ended twice. */
  outcome(): Outcome | undefined;
  /** `ok`, or the outcome kind and the error code. */
  ended(): string | undefined;
}

export function bridgeBench(limits: Partial<Limits> = {}) {
  const bench = sessionBench(limits);
  const { directory, clock } = bench;
  const events: NewAppEvent[] = [];
  const failures: unknown[] = [];
  const all: Limits = { ...DEFAULT_LIMITS, ...limits };
  const bridges: Bridges = createBridges({
    directory,
    limits: all,
    now: () => clock.at,
    onEvent: (event) => events.push(event),
    onFailed: (error) => failures.push(error),
    changeTools: (lease, tools) => directory.replaceTools(lease, readTools(tools, all)),
  });

  const open = async (session: Session, credential = 'key'): Promise<FakeBridge | BridgeRefusal> => {
    const socket = new HandSocket();
    const connection = await bridges.open(session, credential, socket);
    if ('code' in connection) return connection;
    const say = (frame: object | string): void =>
      connection.hear(typeof frame === 'string' ? frame : JSON.stringify(frame));
    return {
      socket,
      connection,
      say,
      hello: (...features) => say({ type: 'hello', version: 1, features }),
      answer: (request_id, content, more = {}) =>
        say({ type: 'invoke_result', mcpSessionId: session.id, request_id, ok: true, content, ...more }),
    };
  };

  return {
    ...bench,
    bridges,
    events,
    failures,
    register: (app = 'a', ...names: string[]): Promise<Session> =>
      directory.create(app, registrationOf(...(names.length === 0 ? ['echo'] : names))),
    tryOpen: open,
    async open(session: Session, credential?: string): Promise<FakeBridge> {
      const bridge = await open(session, credential);
      if ('code' in bridge) throw new Error(`refused with ${bridge.code}: ${bridge.reason}`);
      return bridge;
    },
    call: (session: Session, request: Partial<SourceRequest> = {}): FakeCall =>
      call(bridges, session, request),
  };
}

function call(bridges: Bridges, session: Session, more: Partial<SourceRequest>): FakeCall {
  const notified: FakeCall['notified'] = [];
  const outcomes: Outcome[] = [];
  const request: SourceRequest = {
    method: 'tools/call',
    name: 'echo',
    params: readMembers(jsonBytes({ name: 'echo', arguments: { text: 'hi' } })),
    meta: readMembers(jsonBytes({ progressToken: 'p' })),
    era: 'modern',
    caller: { id: 'c', name: 'c', scopes: {} },
    client: STRANGER,
    view: session,
    ...more,
  };
  const running = bridges.call(session, request, {
    notify: (method, params) =>
      notified.push({ method, params: JSON.parse(fromByteText(params)) as unknown }),
    ask: () => ({ withdraw: () => undefined }),
    settle: (outcome) => outcomes.push(outcome),
  });
  const outcome = (): Outcome | undefined => {
    if (outcomes.length > 1) throw new Error(`ended ${outcomes.length} times`);
    return outcomes[0];
  };
  return {
    running,
    notified,
    outcome,
    ended() {
      const end = outcome();
      return end !== undefined && 'reason' in end ? `${end.kind} ${end.reason.code}` : end?.kind;
    },
  };
}
