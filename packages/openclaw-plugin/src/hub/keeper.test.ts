import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findHub, type HubStatus } from 'pincer/client';
import { expect, test } from 'vitest';
import { eventually, isAlive } from '../../../../test/kit/processes.ts';
import { temporaryFolder } from '../../../../test/kit/temporary-folder.ts';
import { createKeeper, type Keeper } from './keeper.ts';

const owner = (name: string): string =>
  JSON.stringify(new URL(`../../../hub/src/owner/${name}`, import.meta.url).href);

/** A minimal hub: a port, its hub file, and an answer to `GET status`. */
const hubScript = (answer: string): string => `
  import { appendFileSync } from 'node:fs';
  import { createServer } from 'node:http';
  import { describeThisHub, writeHubFile } from ${owner('hub-file.ts')};
  import { adminTokenPath } from ${owner('state-folder.ts')};
  import { readOrCreateToken } from ${owner('tokens.ts')};
  const home = process.env.PINCER_HOME;
  readOrCreateToken(adminTokenPath(home));
  const server = createServer((request, response) => {
    appendFileSync(home + '/../asked', request.url + '\\n');
    const isWaiting = request.url.includes('since=');
    setTimeout(() => response.end(JSON.stringify(${answer})), isWaiting ? 200 : 0);
  });
  server.listen(Number(process.argv[process.argv.indexOf('--port') + 1]), '127.0.0.1', () => {
    const origin = 'http://127.0.0.1:' + server.address().port;
    const endpoints = { mcp: origin + '/mcp', control: origin + '/control/', health: origin };
    writeHubFile(home, describeThisHub({ version: '0', mode: 'foreground', endpoints }));
  });
  process.stdin.on('end', () => process.exit()).resume();`;

interface Kept extends Disposable {
  readonly home: string;
  readonly keeper: Keeper;
  readonly lines: string[];
  readonly statuses: HubStatus[];
  asked(): string[];
}

/** `first` runs before the hub exists. */
function keep(answer: string, first = ''): Kept {
  const folder = temporaryFolder('keeper');
  const [home, entry] = [join(folder.path, 'home'), join(folder.path, 'hub.mjs')];
  writeFileSync(entry, first + hubScript(answer));
  const [lines, statuses]: [string[], HubStatus[]] = [[], []];
  const env = { ...process.env, PINCER_HOME: home };
  const keeper = createKeeper({ home, entry, env, port: undefined, log: (line) => void lines.push(line) });
  keeper.onStatus((status) => void statuses.push(status));
  keeper.retain();
  return {
    home,
    keeper,
    lines,
    statuses,
    asked: () => readFileSync(join(folder.path, 'asked'), 'utf8').trim().split('\n'),
    [Symbol.dispose]() {
      keeper.release();
      const hub = findHub(home);
      if (hub !== undefined) process.kill(hub.pid, 'SIGKILL');
      folder[Symbol.dispose]();
    },
  };
}

test('replaces a hub whose folder was deleted, on the same port', async () => {
  using kept = keep('{ revision: process.pid, servers: [] }');
  await eventually(() => kept.statuses.length === 1);
  const { hubFile: first } = await kept.keeper.hub();
  rmSync(kept.home, { recursive: true });
  await eventually(() => kept.statuses.length === 2);
  const { hubFile: second } = await kept.keeper.hub();
  expect(second.pid).not.toBe(first.pid);
  expect(second.endpoints).toEqual(first.endpoints);
  expect(isAlive(first.pid)).toBe(false);
});

test('backs off from a hub without long polling', async () => {
  using kept = keep("{ version: '0.0.1', servers: [] }");
  await eventually(() => kept.lines.length === 2);
  expect(kept.lines[1]).toContain('version 0.0.1, which is too old');
  expect(kept.asked()).toHaveLength(1);
  expect(kept.statuses).toEqual([]);
});

test('reports an unreadable configuration once, and starts after it is corrected', async () => {
  using kept = keep(
    `{ revision: 1, servers: [] }`,
    `import { existsSync } from 'node:fs';
     if (!existsSync(process.env.PINCER_HOME + '/corrected')) {
       const error = { code: 'CONFIG_INVALID', message: 'config.json is not JSON5.', hint: 'Correct it.' };
       console.log(JSON.stringify({ ok: false, error }));
       process.exit(1);
     }`,
  );
  await eventually(() => kept.lines.length === 1);
  expect(kept.lines[0]).toBe(
    'config.json is not JSON5. Correct it. The hub starts when the file is corrected.',
  );
  writeFileSync(join(kept.home, 'corrected'), '');
  const begin = performance.now();
  await eventually(() => kept.statuses.length === 1);
  expect(performance.now() - begin).toBeLessThan(5_000);
  expect(kept.lines).toHaveLength(2);
});
