/** Latency of a call with every server running: over the pipe, and through the hub. */
import { setTimeout as sleep } from 'node:timers/promises';
import { runLoad } from '../load/start.ts';
import { refuseWhenEnding } from '../process/running.ts';
import { type LevelFigures, runBare } from './bare.ts';
import { AT_ONCE, EXPOSED_TOOLS, type Kind, SERVERS } from './fleet.ts';
import { newHome, type Started, startHub } from './hub.ts';
import { whenQuiet } from './quiet.ts';

/** One caller at one server; a hundred callers at all servers with pauses, like agents; and a hundred without pauses. */
export const LEVELS = [
  { name: 'one caller', inFlight: 1, pauseMs: 0 },
  { name: '100 callers, 10 calls/s each', inFlight: 100, pauseMs: 100 },
  { name: '100 callers, without a pause', inFlight: 100, pauseMs: 0 },
] as const;

const REST_MS = 1000;

export interface Timing {
  warmUpMs: number;
  measureMs: number;
}

type HubFigures = LevelFigures & { cpuMicrosPerCall: number; errors: number };

export interface CallRound {
  kind: Kind;
  direct: LevelFigures[];
  hub: HubFigures[];
  /** Memory of the hub with every server running and idle, and after the calls. */
  rssIdleBytes: number;
  rssLoadedBytes: number;
  bareRssBytes: number;
  /** Child processes of the hub after a hundred callers have used all servers. */
  children: number;
}

async function measureHub(started: Started, timing: Timing): Promise<HubFigures[]> {
  const target = await started.target();
  const own = [started.pid];
  const figures: HubFigures[] = [];
  for (const { inFlight, pauseMs } of LEVELS) {
    const spread = inFlight === 1 ? target : { ...target, tools: EXPOSED_TOOLS };
    const result = await runLoad({ target: spread, inFlight, pauseMs, own, ...timing });
    const { callsPerSecond, p50Ms, p99Ms, cpuMicrosPerCall, errors } = result;
    // Minus the hub itself.
    if (result.treeProcesses - 1 !== SERVERS)
      throw new Error(`${result.treeProcesses - 1} children under load`);
    figures.push({ callsPerSecond, p50Ms, p99Ms, cpuMicrosPerCall, errors });
  }
  return figures;
}

export async function measureCalls(kind: Kind, timing: Timing): Promise<CallRound> {
  refuseWhenEnding();
  const levels = LEVELS.map(({ inFlight, pauseMs }) => ({ inFlight, pauseMs, ...timing }));
  const direct = await whenQuiet(() => runBare(kind, AT_ONCE, levels));
  const started = await whenQuiet(() => startHub(newHome(kind)));
  try {
    await started.whenAllRun();
    await sleep(REST_MS);
    const rssIdleBytes = started.rssBytes();
    const hub = await measureHub(started, timing);
    return {
      kind,
      direct: direct.levels,
      hub,
      rssIdleBytes,
      rssLoadedBytes: started.rssBytes(),
      bareRssBytes: direct.rssBytes,
      children: started.children(),
    };
  } finally {
    await started.end();
  }
}
