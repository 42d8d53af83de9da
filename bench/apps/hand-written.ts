/** Starts the hand-written proxy. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { temporaryFolder } from '../process/folders.ts';
import { freePort } from '../process/ports.ts';
import { startProcess } from '../process/running.ts';
import { openRows, type SessionApi, waitForHealth } from './app-on.ts';
import type { System } from './system.ts';

const PROGRAM = new URL('hand-proxy.ts', import.meta.url);

/** Ratios to a changed floor are not comparable. */
export const handProxyDigest = (): string =>
  createHash('sha256').update(readFileSync(PROGRAM)).digest('hex').slice(0, 12);

export async function startHandProxy(pingMs: number, nodeArgs: readonly string[] = []): Promise<SessionApi> {
  const port = await freePort();
  const api = { baseUrl: `http://127.0.0.1:${port}`, appToken: 'app-token', openClawToken: 'caller-token' };
  const { pid } = await startProcess({
    command: process.execPath,
    args: [...nodeArgs, PROGRAM.pathname],
    folder: temporaryFolder('hand-proxy'),
    env: {
      PORT: String(port),
      APP_TOKEN: api.appToken,
      OPENCLAW_TOKEN: api.openClawToken,
      PING_MS: String(pingMs),
    },
  });
  await waitForHealth(api.baseUrl);
  return { ...api, pid };
}

export const handWritten: System = {
  name: 'hand-written',
  open: async (load) => openRows('hand-written', await startHandProxy(30_000), load),
};
