/** Time until everything is listed: floor and hub in turn, so that a busy minute affects both. */
import { loadavg } from 'node:os';
import { refuseWhenEnding } from '../process/running.ts';
import { runBare } from './bare.ts';
import { AT_ONCE, type Kind, SERVERS } from './fleet.ts';
import { newHome, startHub } from './hub.ts';
import { whenQuiet } from './quiet.ts';

export interface StartRound {
  kind: Kind;
  /** Load average of the last minute, at the start of the round. */
  loadAverage: number;
  /** The floor, with as many concurrent starts as the hub, and with all at once. */
  bareMs: number;
  bareAllAtOnceMs: number;
  /** On a new state folder. */
  coldMs: number;
  /** On the same folder again, with known tools. */
  restartMs: number;
  childrenAtRestart: number;
}

/** Rounds alternate the order of the first two. */
export async function measureStarts(kind: Kind, round: number): Promise<StartRound> {
  refuseWhenEnding();
  const [loadAverage = Number.NaN] = loadavg();
  const home = newHome(kind);
  const bare = (): Promise<number> => whenQuiet(async () => (await runBare(kind, AT_ONCE)).readyMs);
  const cold = (): Promise<number> =>
    whenQuiet(async () => {
      const hub = await startHub(home);
      await hub.end();
      return hub.listedMs;
    });
  const early = round % 2 === 0 ? await bare() : undefined;
  const coldMs = await cold();
  const bareMs = early ?? (await bare());
  const { readyMs: bareAllAtOnceMs } = await whenQuiet(() => runBare(kind, SERVERS));
  const again = await whenQuiet(() => startHub(home));
  await again.end();
  const { listedMs: restartMs, childrenThen: childrenAtRestart } = again;
  return { kind, loadAverage, bareMs, bareAllAtOnceMs, coldMs, restartMs, childrenAtRestart };
}
