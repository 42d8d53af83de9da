/** Starts Pincer with its defaults, except for rate limits that a benchmark would reach at once. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, temporaryFolder } from '../process/folders.ts';
import { freePort } from '../process/ports.ts';
import { startProcess } from '../process/running.ts';
import { PINCER_PROGRAM } from '../subjects/pincer-home.ts';
import { openRows, type SessionApi, waitForHealth } from './app-on.ts';
import type { System } from './system.ts';

const UNREACHABLE = 1_000_000;

export const RAISED_LIMITS = {
  appCredentialBurst: UNREACHABLE,
  appCredentialPerSecond: UNREACHABLE,
  appSessionBurst: UNREACHABLE,
  appSessionPerSecond: UNREACHABLE,
};

export interface PincerHome extends Omit<SessionApi, 'pid'> {
  folder: string;
  port: number;
  /** One for each app with its own token. */
  appTokens: string[];
}

/** `apps` is the number of apps with their own tokens. */
export async function newPincerHome(apps = 0): Promise<PincerHome> {
  const folder = temporaryFolder('pincer');
  const port = await freePort();
  const appToken = 'app-token';
  const openClawToken = 'caller-token';
  const appTokens = Array.from({ length: apps }, (_, index) => `token-of-app-${index}`);
  const config = {
    limits: RAISED_LIMITS,
    proxy: {
      appToken,
      openclawToken: openClawToken,
      apps: appTokens.map((token, index) => ({
        name: `app${index}`,
        tokenHash: createHash('sha256').update(token).digest('hex'),
      })),
    },
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 });
  return { folder, port, baseUrl: `http://127.0.0.1:${port}`, appToken, openClawToken, appTokens };
}

export async function startPincer(home: PincerHome, nodeArgs: readonly string[] = []): Promise<SessionApi> {
  const { folder, port } = home;
  const running = await startProcess({
    command: process.execPath,
    args: [...nodeArgs, PINCER_PROGRAM, 'up', '--port', '0', '--proxy-port', String(port)],
    folder,
    env: { PINCER_HOME: folder, PINCER_KEYCHAIN: 'off', XDG_CACHE_HOME: cacheFolder('pincer') },
  });
  try {
    await waitForHealth(home.baseUrl);
  } catch (error) {
    throw new Error(running.logTail(), { cause: error });
  }
  return { ...home, pid: running.pid };
}

export const pincer: System = {
  name: 'pincer',
  open: async (load) => openRows('pincer', await startPincer(await newPincerHome()), load),
};
