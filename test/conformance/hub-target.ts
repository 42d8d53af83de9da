/** Pincer in front of the everything-server, beside another server that is busy, with a policy, audit and metrics. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startHub, type TestHub } from '../kit/hub.ts';
import { eventually } from '../kit/processes.ts';
import { everythingCommand, startEverything } from '../servers/everything/start.ts';
import { busyServer, startBusyCaller } from './busy.ts';
import { startRelay } from './relay.ts';
import { SERVER_SETTINGS, type Target } from './targets.ts';
import { warmUp } from './warm-up.ts';

const NAMES = ['everything', 'busy'];

export interface Served<T> {
  result: T;
  /** What was wrong besides the result. */
  problems: string[];
}

export async function withHub<T>(
  { transport, era }: Target,
  work: (url: string) => Promise<T>,
): Promise<Served<T>> {
  await using upstream = transport === 'http' ? await startEverything(era) : undefined;
  const place = upstream === undefined ? everythingCommand(era) : { url: upstream.url };
  await using hub = await startHub({
    servers: {
      everything: { ...place, ...SERVER_SETTINGS, policy: { '*': 'allow' } },
      busy: busyServer(),
    },
    config: { policy: { default: 'deny' } },
    // What this machine offers is not what the suite looks for.
    env: { PINCER_DEVICE: 'off' },
  });
  await using relay = await startRelay(hub.origin, hub.token);
  await using busy = await startBusyCaller(hub);
  const url = `${relay.origin}/mcp`;
  if (era === 'legacy') await warmUp(url);
  const result = await work(url);
  const { calls, wrong } = await busy.stop();
  const problems = [...(await uncounted(hub)), ...(await unrecorded(hub))];
  if (wrong !== undefined) problems.push(`one of ${calls} calls to the busy server was answered: ${wrong}`);
  return { result, problems };
}

/** Servers whose calls are not in the metrics. */
async function uncounted(hub: TestHub): Promise<string[]> {
  const { body } = await hub.post('', { path: '/metrics', method: 'GET' });
  const isCounted = (name: string): boolean =>
    new RegExp(`^pincer_calls_total\\{[^}]*server="${name}"[^}]*\\} [1-9]`, 'm').test(body);
  return NAMES.filter((name) => !isCounted(name)).map((name) => `/metrics has counted no call to ${name}`);
}

/** Servers whose calls are not in the audit. */
async function unrecorded(hub: TestHub): Promise<string[]> {
  using store = new DatabaseSync(join(hub.home, 'calls.sqlite'), { readOnly: true });
  const count = store.prepare('SELECT count(*) AS calls FROM calls WHERE server = ?');
  const isRecorded = (name: string): boolean => Number(count.get(name)?.['calls'] ?? 0) > 0;
  await eventually(() => NAMES.every(isRecorded), 2_000);
  return NAMES.filter((name) => !isRecorded(name)).map((name) => `the audit has no call to ${name}`);
}
