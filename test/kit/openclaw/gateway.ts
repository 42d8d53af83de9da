/** The gateway process of a profile. It is found by its pid file, so any process with the profile can stop it. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPENCLAW } from '../../openclaw/install.ts';
import { descendants, endIfSame, eventually, isSame, startOf } from '../processes.ts';
import { type Profile, TOKEN } from './profile.ts';

export interface ProcessId {
  pid: number;
  start: string;
}

export interface Gateway {
  pid: number;
  /** `http://127.0.0.1:<port>`. */
  url: string;
  log(): string;
  /** Its descendant processes. */
  tree(): ProcessId[];
  isRunning(): boolean;
  /** Asks it to exit. Returns false if it had to be killed after a generous timeout. */
  stop(): Promise<boolean>;
}

const START_MS = 180_000;
const STOP_MS = 60_000;

const pidFile = (profile: Profile): string => join(profile.folder, 'gateway.json');
const logFile = (profile: Profile): string => join(profile.folder, 'gateway.log');

export async function startGateway(profile: Profile): Promise<Gateway> {
  const log = openSync(logFile(profile), 'a');
  const child = spawn(process.execPath, [OPENCLAW, 'gateway', 'run', '--port', String(profile.port)], {
    cwd: profile.workspace,
    env: profile.env,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const pid = child.pid!;
  writeFileSync(pidFile(profile), JSON.stringify({ pid, start: startOf(pid) }));
  const gateway = openGateway(profile);
  if (await eventually(() => !gateway.isRunning() || isReady(gateway.url), START_MS, 100))
    if (gateway.isRunning()) return gateway;
  await gateway.stop();
  throw new Error(`The gateway did not start:\n${gateway.log().slice(-4_000)}`);
}

/** The gateway that was started on a profile. */
export function openGateway(profile: Profile): Gateway {
  const id = JSON.parse(readFileSync(pidFile(profile), 'utf8')) as ProcessId;
  const isRunning = (): boolean => isSame(id);
  return {
    pid: id.pid,
    url: `http://127.0.0.1:${profile.port}`,
    log: () => readFileSync(logFile(profile), 'utf8'),
    tree: () => descendants(id.pid),
    isRunning,
    async stop() {
      if (!isRunning()) return true;
      const below = descendants(id.pid);
      process.kill(id.pid, 'SIGTERM');
      if (await eventually(() => !isRunning(), STOP_MS)) return true;
      for (const one of [id, ...below]) endIfSame(one);
      return false;
    },
  };
}

/** Ready means that agents can run; plugin routes may still be missing. */
async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/readyz`, { headers: { authorization: `Bearer ${TOKEN}` } });
    return response.ok && ((await response.json()) as { ready?: boolean }).ready === true;
  } catch {
    return false;
  }
}
