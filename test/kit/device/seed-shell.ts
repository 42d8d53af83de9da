/** Runs commands of the seed verbatim in a shell whose curl sends the person's token. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../temporary-folder.ts';
import type { DeviceHub } from './device-hub.ts';

const run = promisify(execFile);

export interface Typed {
  status: number;
  body: string;
}

/** Where the seed expects its server. */
const SEED_URL = 'http://127.0.0.1:8765/';

export async function typeIn(
  hub: DeviceHub,
  command: string,
  { hasToken = true }: { hasToken?: boolean } = {},
): Promise<Typed> {
  using home = temporaryFolder('curl');
  const header = hasToken ? `header = "Authorization: Bearer ${hub.token}"\n` : '';
  writeFileSync(
    join(home.path, '.curlrc'),
    `silent\nnoproxy = "*"\nmax-time = 60\nwrite-out = "\\n%{http_code}"\n${header}`,
  );
  const typed = command.replaceAll(SEED_URL, hub.root).replaceAll('<token>', hub.token);
  const { stdout } = await run('bash', ['-c', typed], {
    env: { HOME: home.path, CURL_HOME: home.path, PATH: process.env['PATH'] },
    maxBuffer: 2 ** 26,
  });
  const end = stdout.lastIndexOf('\n');
  return { status: Number(stdout.slice(end + 1)), body: stdout.slice(0, end) };
}
