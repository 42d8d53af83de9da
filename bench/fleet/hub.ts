/** `pincer up` in front of all servers, on a new or used state folder. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from '../load/target.ts';
import { cacheFolder, temporaryFolder } from '../process/folders.ts';
import { readProcess, readTree } from '../process/proc.ts';
import { endProcesses, startProcess } from '../process/running.ts';
import { addToken, type HubFile, PINCER_PROGRAM, readToken, waitForHub } from '../subjects/pincer-home.ts';
import { EXPOSED_TOOLS, type Kind, serverConfigs, SERVERS, TOOLS, wallClockMs } from './fleet.ts';

export interface Started {
  /** From the start of the process until `tools/list` had every tool. */
  listedMs: number;
  /** Child processes at that moment. */
  childrenThen: number;
  target(): Promise<Target>;
  pid: number;
  /** Resolves when every server runs. */
  whenAllRun(): Promise<void>;
  rssBytes(): number;
  children(): number;
  end(): Promise<void>;
}

const TIMEOUT_MS = 60_000;

/** A new state folder. */
export function newHome(kind: Kind): string {
  const home = temporaryFolder('fleet');
  writeFileSync(join(home, 'config.json'), JSON.stringify({ servers: serverConfigs(kind) }));
  return home;
}

export async function startHub(home: string): Promise<Started> {
  const startedAt = wallClockMs();
  const { pid } = await startProcess({
    command: process.execPath,
    args: [PINCER_PROGRAM, 'up', '--port', '0'],
    folder: home,
    env: { PINCER_HOME: home, XDG_CACHE_HOME: cacheFolder('fleet') },
  });
  const end = (): Promise<void> => endProcesses([pid]);
  const children = (): number => readTree([pid]).length - 1;
  try {
    const hub = await waitForHub(home, TIMEOUT_MS);
    const listedAt = await whenListed(hub, readToken(home));
    // Counted after the answer: there were not more when it arrived.
    const childrenThen = children();
    return {
      listedMs: listedAt - startedAt,
      childrenThen,
      pid,
      children,
      end,
      rssBytes: () => readProcess(pid)?.rssBytes ?? Number.NaN,
      target: async () => ({
        variant: 'streamable',
        url: hub.endpoints.mcp,
        tool: EXPOSED_TOOLS[SERVERS / 2] ?? '',
        headers: { authorization: `Bearer ${readToken(home)}` },
        // The default limit is 64 concurrent calls per credential, so 100 in flight need two callers.
        otherHeaders: { authorization: `Bearer ${await addToken(hub, home)}` },
      }),
      whenAllRun: () => eventually(() => children() === SERVERS, 'not every server runs'),
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Polls the list until all tools are there. Returns the time of that. */
async function whenListed(hub: HubFile, token: string): Promise<number> {
  await eventually(
    async () => (await countTools(hub.endpoints.mcp, token)) === TOOLS,
    'not every tool is listed',
  );
  return wallClockMs();
}

async function countTools(url: string, token: string): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}',
  });
  const { result } = (await response.json()) as { result?: { tools: unknown[] } };
  return result?.tools.length ?? 0;
}

async function eventually(condition: () => boolean | Promise<boolean>, otherwise: string): Promise<void> {
  const deadline = wallClockMs() + TIMEOUT_MS;
  while (!(await condition())) {
    if (wallClockMs() > deadline) throw new Error(otherwise);
    await sleep(10);
  }
}
