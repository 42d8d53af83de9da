/** Sends very many messages to one hub, right ones and wrong ones, and expects that it takes them all. */
import { startHub, type TestHub } from '../kit/hub.ts';
import { INITIALIZE, textOf } from '../kit/messages.ts';
import { isAlive } from '../kit/processes.ts';
import { httpServer, stdioServer } from '../kit/servers.ts';
import { startHttpServer } from '../servers/start.ts';
import { runHttpLane } from './http-lane.ts';
import type { Lane } from './lane.ts';
import { runStdioLane } from './stdio-lane.ts';
import { FUZZ_TOOLS } from './valid-message.ts';

export type Surface = 'mcp' | 'server' | 'stdio';
export const SURFACES: readonly Surface[] = ['mcp', 'server', 'stdio'];

const LANES = 8;
/** A good request is tried after so many messages. */
const CHECK_EVERY = 1_000;

export interface FuzzRun {
  hub: TestHub;
  surface: Surface;
  messages: number;
  seed: string;
}

/** A hub with a server of each kind behind it. */
export async function startFuzzHub(): Promise<{ hub: TestHub } & AsyncDisposable> {
  const web = await startHttpServer({ era: 'dual', tools: FUZZ_TOOLS });
  const hub = await startHub({
    servers: { pipe: stdioServer({ era: 'dual', tools: FUZZ_TOOLS }), web: httpServer(web.url) },
  });
  return {
    hub,
    async [Symbol.asyncDispose]() {
      await hub[Symbol.asyncDispose]();
      await web.stop();
    },
  };
}

export async function runFuzz({ hub, surface, messages, seed }: FuzzRun): Promise<void> {
  let sent = 0;
  const onMessage = async (): Promise<void> => {
    if (++sent % CHECK_EVERY === 0) await expectWell(hub);
  };
  const lanes = Array.from({ length: LANES }, (_, index): Lane => {
    const name = `${surface}-${index}`;
    return {
      name,
      seed: `${seed}/${name}`,
      messages: Math.floor(messages / LANES) + (index < messages % LANES ? 1 : 0),
      paths: surface === 'server' ? ['/mcp/pipe', '/mcp/web'] : ['/mcp'],
      prefixes: surface === 'server' ? [''] : ['pipe__', 'web__'],
      onMessage,
    };
  });
  const { headers } = await hub.post(INITIALIZE);
  const session = String(headers['mcp-session-id']);
  await Promise.all(
    lanes.map((lane) => (surface === 'stdio' ? runStdioLane(hub, lane) : runHttpLane(hub, lane, session))),
  );
  await expectWell(hub);
}

async function expectWell(hub: TestHub): Promise<void> {
  if (!isAlive(hub.pid)) throw new Error(`the hub is dead: ${hub.stderr().slice(-4_000)}`);
  for (const server of ['pipe', 'web']) {
    const answer = await hub.call(`${server}__echo`, { message: 'well' });
    if (textOf(answer) !== 'well') throw new Error(`the hub is not well: ${JSON.stringify(answer)}`);
  }
}
