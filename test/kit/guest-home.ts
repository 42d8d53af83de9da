import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestHub } from './hub.ts';

/** A state folder in which `pincer stdio` finds the same hub with another token. Removed with the hub's folder. */
export function makeGuestHome(hub: TestHub, token: string): string {
  const home = join(hub.home, '..', 'guest');
  mkdirSync(join(home, 'run'), { recursive: true, mode: 0o700 });
  cpSync(join(hub.home, 'run', 'hub.json'), join(home, 'run', 'hub.json'));
  writeFileSync(join(home, 'mcp-token.txt'), token, { mode: 0o600 });
  return home;
}
