/** Round by round, the floor and the hub in turn, so that a busy minute of the machine hits both alike. */
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { runLoad } from '../load/start.ts';
import { refuseWhenEnding } from '../process/running.ts';
import { type LevelFigures, runBare } from './bare.ts';
import { EXPOSED_TOOLS, type Kind, SERVERS } from './fleet.ts';
import { newHome, type Started, startHub } from './hub.ts';
import { whenQuiet } from './quiet.ts';

/** The default of `maxConcurrentServers`. */
export const AT_ONCE = 20;
/** One caller at one server; a hundred at all servers who rest between calls, as agents do; and a hundred who do not. */
export const LEVELS = [
  { name: 'one caller', inFlight: 1, pauseMs: 0 },
  { name: '100 callers, 10 calls/s each', inFlight: 100, pauseMs: 100 },
  { name: '100 callers, without a rest', inFlight: 100, pauseMs: 0 },
] as const;

const REST_MS = 1000;

export interface Timing {
  warmUpMs: number;
  measureMs: number;
}

export interface FleetRound {
  kind: Kind;
  round: number;
  /** Of the last minute, when the round began. */
  loadAverage: number;
  /** The floor, with as many starts at once as the hub makes, and with all at once. */
  bareMs: number;
  bareAllAtOnceMs: number;
  /** On a state folder where no hub has been. */
  coldMs: number;
  /** On the same folder again: the tools are known. */
  restartMs: number;
  childrenAtRestart: number;
  /** With every server running and nothing to do, and after the calls. */
  rssIdleBytes: number;
  rssLoadedBytes: number;
  bareRssBytes: number;
  direct: LevelFigures[];
  hub: (LevelFigures & { cpuMicrosPerCall: number; errors: number })[];
  /** Child processes of the hub while and after a hundred callers used all servers. */
  childrenUnderLoad: number;
}

async function measureHubCalls(started: Started, timing: Timing): Promise<FleetRound['hub']> {
  const target = await started.target();
  const own = [started.pid];
  const figures: FleetRound['hub'] = [];
  for (const { inFlight, pauseMs } of LEVELS) {
    const spread = inFlight === 1 ? target : { ...target, tools: EXPOSED_TOOLS };
    const { callsPerSecond, p50Ms, p99Ms, cpuMicrosPerCall, errors, treeProcesses } = await runLoad({
      target: spread,
      inFlight,
      pauseMs,
      own,
      ...timing,
    });
    // The hub itself is one of them.
    if (treeProcesses - 1 !== SERVERS) throw new Error(`${treeProcesses - 1} children under load`);
    figures.push({ callsPerSecond, p50Ms, p99Ms, cpuMicrosPerCall, errors });
  }
  return figures;
}

export async function measureRound(kind: Kind, round: number, timing: Timing): Promise<FleetRound> {
  const [loadAverage = Number.NaN] = loadavg();
  const levels = LEVELS.map(({ inFlight, pauseMs }) => ({ inFlight, pauseMs, ...timing }));
  const home = newHome(kind);
  const bare = await whenQuiet(() => runBare(kind, AT_ONCE));
  const cold = await whenQuiet(() => startHub(home));
  await cold.end();
  const bareAllAtOnce = await whenQuiet(() => runBare(kind, SERVERS));
  const direct = await whenQuiet(() => runBare(kind, AT_ONCE, levels));
  const again = await whenQuiet(() => startHub(home));
  try {
    await again.whenAllRun();
    await sleep(REST_MS);
    const rssIdleBytes = again.rssBytes();
    const hub = await measureHubCalls(again, timing);
    refuseWhenEnding();
    return {
      kind,
      round,
      loadAverage,
      bareMs: bare.readyMs,
      bareAllAtOnceMs: bareAllAtOnce.readyMs,
      coldMs: cold.listedMs,
      restartMs: again.listedMs,
      childrenAtRestart: again.childrenThen,
      rssIdleBytes,
      rssLoadedBytes: again.rssBytes(),
      bareRssBytes: direct.rssBytes,
      direct: direct.levels,
      hub,
      childrenUnderLoad: again.children(),
    };
  } finally {
    await again.end();
  }
}
