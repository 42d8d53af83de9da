import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { clientOf, findHub, startChildHub } from '../../packages/hub/src/control/client/index.ts';
import { ENTRY } from '../kit/hub.ts';
import { isAlive } from '../kit/processes.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const KIT = join(import.meta.dirname, '../../packages/hub/src/control/client/index.ts');

function options(home: string, port = 0) {
  const env = { PATH: process.env['PATH'], HOME: home, PINCER_HOME: join(home, 'mcp') };
  return { home: join(home, 'mcp'), entry: ENTRY, port, env, waitMs: 30_000 };
}

async function gone(pid: number): Promise<void> {
  for (let waited = 0; waited < 300 && isAlive(pid); waited++) await sleep(50);
  expect(isAlive(pid)).toBe(false);
}

describe('a hub as a child process', () => {
  it('can be reached, and ends with all processes that it started', async () => {
    using folder = temporaryFolder('child-hub');
    const { home } = options(folder.path);
    const hub = await startChildHub(options(folder.path));
    expect(findHub(home)?.pid).toBe(hub.hubFile.pid);
    expect(JSON.parse(await clientOf(home, hub.hubFile).control('GET status'))).toMatchObject({
      servers: [],
    });
    await hub.end();
    await gone(hub.hubFile.pid);
    expect(findHub(home)).toBeUndefined();
  });

  it('ends when its parent is killed', async () => {
    using folder = temporaryFolder('child-hub');
    const program = `import { startChildHub } from ${JSON.stringify(KIT)};
      const { hubFile } = await startChildHub(${JSON.stringify(options(folder.path))});
      console.log(hubFile.pid); setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [text] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(text.toString());
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await gone(pid);
  });

  it('reports its own reason if it cannot start', async () => {
    using folder = temporaryFolder('child-hub');
    const { home } = options(folder.path);
    mkdirSync(home, { recursive: true, mode: 0o700 });
    writeFileSync(join(home, 'config.json'), '{"servers": {"x": }');
    await expect(startChildHub(options(folder.path))).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/config\.json is not JSON5: .* at 1:\d+\.$/) as string,
      hint: 'Correct the file at that position (line:column).',
    });
  });

  it('reports the end of its log if it exits without a message', async () => {
    using folder = temporaryFolder('child-hub');
    const entry = join(folder.path, 'mute.mjs');
    writeFileSync(entry, "console.error('last line'); process.exit(3);");
    await expect(startChildHub({ ...options(folder.path), entry })).rejects.toMatchObject({
      code: 'HUB_UNREACHABLE',
      message: 'The hub exited with code 3.',
      hint: expect.stringContaining('last line') as string,
    });
  });
});
