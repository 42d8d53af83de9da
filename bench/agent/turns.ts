/** Runs turns one after the other, alternating the ways, so that other load on the machine affects all alike. */
import { loadavg } from 'node:os';
import { startGateway } from '../../test/kit/openclaw/gateway.ts';
import { startScriptedModel } from '../../test/kit/openclaw/model.ts';
import { makeProfile } from '../../test/kit/openclaw/profile.ts';
import { openOrderGateway } from '../../test/kit/openclaw/order-gateway.ts';
import { temporaryFolder } from '../process/folders.ts';
import { freePort } from '../process/ports.ts';
import { refuseWhenEnding, remember } from '../process/running.ts';
import { openRelay, type Relay } from './relay.ts';
import { hubWay, pipeWay, straightWay, type Way, type WayName } from './ways.ts';

export interface Turn {
  totalMs: number;
  /** The part of it spent at the gateway. */
  gatewayMs: number;
}

export type TurnRound = Record<WayName, Turn>;

export interface Turns {
  loadAverage: number;
  rounds: TurnRound[];
}

/** On OpenClaw's own gateway, with a model that repeats its input. */
export async function measureRealTurns(count: number): Promise<Turns> {
  refuseWhenEnding();
  await using model = await startScriptedModel();
  const profile = makeProfile(temporaryFolder('openclaw'), { port: await freePort(), modelUrl: model.url });
  const gateway = await startGateway(profile);
  remember(gateway.pid);
  try {
    const expected = (message: string): string => `echo: ${message}`;
    return await measureTurns(gateway.url, { count, warmUp: 10, expected });
  } finally {
    await gateway.stop();
  }
}

/** On a gateway that answers at once, so that only the way there and back remains. */
export async function measureEmptyTurns(count: number): Promise<Turns> {
  await using gateway = await openOrderGateway();
  return await measureTurns(gateway.url, { count, warmUp: 200, expected: () => 'done' });
}

interface Settings {
  count: number;
  /** Number of rounds that are not counted. */
  warmUp: number;
  expected(message: string): string;
}

interface Watched {
  way: Way;
  relay: Relay;
}

async function measureTurns(gatewayUrl: string, settings: Settings): Promise<Turns> {
  await using open = new AsyncDisposableStack();
  const watched: Watched[] = [];
  for (const openWay of [straightWay, pipeWay, hubWay]) {
    const relay = open.use(await openRelay(gatewayUrl));
    watched.push({ relay, way: open.use(await openWay(relay.url)) });
  }
  for (let round = 0; round < settings.warmUp; round += 1) await measureRound(watched, round, settings);
  const [loadAverage = Number.NaN] = loadavg();
  const rounds: TurnRound[] = [];
  for (let round = 0; round < settings.count; round += 1)
    rounds.push(await measureRound(watched, round, settings));
  return { loadAverage, rounds };
}

/** Each way follows each other one equally often: what a gateway does after an answer affects the next turn. */
const ORDERS = [
  [0, 1, 2],
  [2, 1, 0],
  [1, 2, 0],
  [0, 2, 1],
  [2, 0, 1],
  [1, 0, 2],
] as const;

async function measureRound(
  watched: readonly Watched[],
  round: number,
  { expected }: Settings,
): Promise<TurnRound> {
  const taken: [WayName, Turn][] = [];
  for (const place of ORDERS[round % ORDERS.length]!) {
    refuseWhenEnding();
    const { way, relay } = watched[place]!;
    const message = `turn ${crypto.randomUUID()}`;
    relay.watch();
    const begun = performance.now();
    const answer = await way.order(message);
    const totalMs = performance.now() - begun;
    if (answer !== expected(message)) throw new Error(`${way.name}: "${message}" was answered "${answer}"`);
    taken.push([way.name, { totalMs, gatewayMs: relay.gatewayMs() }]);
  }
  return Object.fromEntries(taken) as TurnRound;
}
