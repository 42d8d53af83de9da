/** An app on a proxy with the session API, and its rows: one for each era. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from './child.ts';
import type { Era } from './http-session.ts';
import type { AppAnswer, AppCommand } from './programs/app.ts';
import { endProcesses } from '../process/running.ts';
import { type Load, MOST_IN_FLIGHT, type Opened, type Row } from './system.ts';

const START_MS = 30_000;
const ERAS: readonly Era[] = ['modern', 'legacy'];
export const APP_PROGRAM = new URL('programs/app.ts', import.meta.url);

export interface SessionApi {
  baseUrl: string;
  appToken: string;
  openClawToken: string;
  pid: number;
}

export async function waitForHealth(baseUrl: string): Promise<void> {
  const deadline = Date.now() + START_MS;
  for (;;) {
    const text = await fetch(`${baseUrl}/health`).then(
      (response) => response.text(),
      () => '',
    );
    if (text === 'ok') return;
    if (Date.now() > deadline) throw new Error(`${baseUrl} is not healthy after ${START_MS} ms`);
    await sleep(10);
  }
}

export async function openRows(name: string, api: SessionApi, load: Load): Promise<Opened> {
  const app = await startChild<AppCommand, AppAnswer>(APP_PROGRAM);
  const { mcpUrl } = await app.ask({ dialect: 'bridge', baseUrl: api.baseUrl, token: api.appToken });
  if (mcpUrl === undefined) throw new Error(`${name} does not say where calls go`);
  const rows: Row[] = [];
  for (const era of ERAS) {
    const row = `${name}, ${era}`;
    const target = { url: mcpUrl, token: api.openClawToken, era };
    await load.ask({ kind: 'http', name: row, target, sessions: MOST_IN_FLIGHT });
    const floor = name === 'hand-written' ? undefined : `hand-written, ${era}`;
    rows.push({ name: row, way: 'HTTP', floor, pid: api.pid });
  }
  return { rows, end: () => endProcesses([app.pid, api.pid]) };
}
