/** A state folder for Pincer: its configuration, and the files of a running hub. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { belongsTo } from '../process/belongs.ts';
import { ROOT_FOLDER } from '../process/folders.ts';
import type { Upstream } from './subject.ts';

export const PINCER_PROGRAM = join(ROOT_FOLDER, 'packages', 'hub', 'bin', 'pincer.js');

export interface HubFile {
  pid: number;
  version: string;
  endpoints: { mcp: string; control: string };
}

export function writePincerConfig(home: string, upstream: Upstream): void {
  const bench =
    upstream.kind === 'stdio'
      ? { transport: 'stdio', command: upstream.command, args: upstream.args }
      : { url: upstream.url };
  writeFileSync(join(home, 'config.json'), JSON.stringify({ servers: { bench } }));
}

/** Returns undefined if no hub runs on this folder. */
export function runningHub(home: string): HubFile | undefined {
  try {
    const hub = JSON.parse(readFileSync(join(home, 'run', 'hub.json'), 'utf8')) as HubFile;
    return belongsTo(hub.pid, home) ? hub : undefined;
  } catch {
    return undefined;
  }
}

export async function waitForHub(home: string, timeoutMs: number): Promise<HubFile> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const hub = runningHub(home);
    if (hub !== undefined) return hub;
    if (Date.now() > deadline) throw new Error(`no hub after ${timeoutMs} ms`);
    await sleep(5);
  }
}

export function readToken(home: string): string {
  return readFileSync(join(home, 'mcp-token.txt'), 'utf8').trim();
}

/** Adds a second caller besides the one of the token file. */
export async function addToken(hub: HubFile, home: string): Promise<string> {
  const admin = readFileSync(join(home, 'admin-token.txt'), 'utf8').trim();
  const response = await fetch(`${hub.endpoints.control}tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: `bench-${hub.pid}` }),
  });
  if (!response.ok) throw new Error(`no second token: HTTP ${response.status}`);
  return ((await response.json()) as { token: string }).token;
}
