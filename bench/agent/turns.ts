/** Turns one after the other, by each way in turn: what others do on the machine hits all alike. */
import { loadavg } from 'node:os';
import { startGateway } from '../../test/kit/openclaw/gateway.ts';
import { startScriptedModel } from '../../test/kit/openclaw/model.ts';
import { makeProfile } from '../../test/kit/openclaw/profile.ts';
import { openStandIn } from '../../test/kit/openclaw/stand-in.ts';
import { temporaryFolder } from '../process/folders.ts';
import { freePort } from '../process/ports.ts';
import { refuseWhenEnding, remember } from '../process/running.ts';
import { hubWay, pipeWay, straightWay, type Way, type WayName } from './ways.ts';

export type TurnRound = Record<WayName, number>;

export interface Turns {
  loadAverage: number;
  rounds: TurnRound[];
}

/** On OpenClaw's own gateway, with a model that repeats what it is told. */
export async function measureRealTurns(count: number): Promise<Turns> {
  refuseWhenEnding();
  await using model = await startScriptedModel();
  const profile = makeProfile(temporaryFolder('openclaw'), { port: await freePort(), modelUrl: model.url });
  const gateway = await startGateway(profile);
  remember(gateway.pid);
  try {
    return await measureTurns(gateway.url, { count, warmUp: 10, expected: (message) => `echo: ${message}` });
  } finally {
    await gateway.stop();
  }
}

/** On a gateway that answers at once: what is left is the way there and back. */
export async function measureEmptyTurns(count: number): Promise<Turns> {
  await using gateway = await openStandIn();
  return await measureTurns(gateway.url, { count, warmUp: count / 2, expected: () => 'done' });
}

interface Settings {
  count: number;
  /** So many rounds are not counted. */
  warmUp: number;
  expected(message: string): string;
}

async function measureTurns(gatewayUrl: string, { count, warmUp, expected }: Settings): Promise<Turns> {
  await using straight = await straightWay(gatewayUrl);
  await using pipe = await pipeWay(gatewayUrl);
  await using hub = await hubWay(gatewayUrl);
  const ways = [straight, pipe, hub];
  for (let round = 0; round < warmUp; round += 1) await measureRound(ways, round, expected);
  const [loadAverage = Number.NaN] = loadavg();
  const rounds: TurnRound[] = [];
  for (let round = 0; round < count; round += 1) rounds.push(await measureRound(ways, round, expected));
  return { loadAverage, rounds };
}

/** Each round begins with another one. */
async function measureRound(
  ways: readonly Way[],
  round: number,
  expected: Settings['expected'],
): Promise<TurnRound> {
  const first = round % ways.length;
  const taken: [WayName, number][] = [];
  for (const way of [...ways.slice(first), ...ways.slice(0, first)]) {
    refuseWhenEnding();
    const message = `turn ${crypto.randomUUID()}`;
    const begun = performance.now();
    const answer = await way.order(message);
    taken.push([way.name, performance.now() - begun]);
    if (answer !== expected(message)) throw new Error(`${way.name}: "${message}" was answered "${answer}"`);
  }
  return Object.fromEntries(taken) as TurnRound;
}
