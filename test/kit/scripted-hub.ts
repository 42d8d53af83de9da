/** A hub in front of servers that play the fixed exchange, many of each kind. */
import { expect } from 'vitest';
import type { Era } from '../servers/flags.ts';
import { openHttpLanes, type HttpManner } from '../servers/scripted/http.ts';
import type { Leg } from '../servers/scripted/legs.ts';
import type { Cut, Size } from '../servers/scripted/outgoing.ts';
import { openPipeLanes } from '../servers/scripted/pipe.ts';
import type { Script } from '../servers/scripted/script.ts';
import { startHub, type TestHub } from './hub.ts';
import { eventually } from './processes.ts';

/** One server, used by one test at a time. */
export interface Lane {
  name: string;
  script: Script;
  cuts: Cut[];
  sizes: Map<Leg, Size>;
}

export interface Kind {
  /** How an HTTP server behaves, or the era of a program. */
  manner: HttpManner | Era;
  count: number;
  settings?: object;
  /** Runs before the hub starts. */
  prepare?: (lane: Omit<Lane, 'name'>, index: number) => void;
}

export interface ScriptedHub extends AsyncDisposable {
  hub: TestHub;
  lanes(kind: string): Lane[];
}

export async function startScriptedHub(kinds: Record<string, Kind>): Promise<ScriptedHub> {
  const servers: Record<string, object> = {};
  const lanes = new Map<string, Lane[]>();
  const opened: AsyncDisposable[] = [];
  for (const [kind, { manner, count, settings, prepare }] of Object.entries(kinds)) {
    const open = await (typeof manner === 'string'
      ? openPipeLanes(count, manner)
      : openHttpLanes(count, manner));
    opened.push(open);
    for (const [index, lane] of open.lanes.entries()) prepare?.(lane, index);
    const named = open.lanes.map((lane, index) => Object.assign(lane, { name: `${kind}-${1_000 + index}` }));
    lanes.set(kind, named);
    for (const lane of named)
      servers[lane.name] =
        'url' in lane
          ? { url: lane.url, ...settings }
          : { command: lane.command, args: lane.args, isolation: 'session', ...settings };
  }
  const limits = { maxCalls: 2_000, maxCallsPerCredential: 2_000, resumeWaitMs: 3_000 };
  const hub = await startHub({ servers, config: { maxConcurrentServers: 64, limits } });
  return {
    hub,
    lanes: (kind) => lanes.get(kind)!,
    async [Symbol.asyncDispose]() {
      await hub[Symbol.asyncDispose]();
      for (const each of opened) await each[Symbol.asyncDispose]();
    },
  };
}

/** The value of one of the hub's gauges. */
async function gauge(hub: TestHub, name: string): Promise<number> {
  await using connection = hub.connect();
  const { body } = await connection.post('', { path: '/metrics', method: 'GET' });
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(body)?.[1]);
}

/** Checks that no call is in flight and that all slots are free. */
export async function expectIdle(hub: TestHub): Promise<void> {
  for (const name of ['pincer_calls_in_flight', 'pincer_slots_in_use'])
    expect(await eventually(async () => (await gauge(hub, name)) === 0), name).toBe(true);
}
