/** How long it takes until everything is listed: the floor and the hub in turn, so that a busy minute hits both alike. */
import { loadavg } from 'node:os';
import { refuseWhenEnding } from '../process/running.ts';
import { runBare } from './bare.ts';
import { AT_ONCE, type Kind, SERVERS } from './fleet.ts';
import { newHome, startHub } from './hub.ts';
import { whenQuiet } from './quiet.ts';

export interface StartRound {
  kind: Kind;
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
}

/** Each round begins with another of the first two. */
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
