/** `pincer backup` and `pincer restore`: move a state folder, or return to an earlier state. */
import {
  copyFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { runCli, type Ran } from '../kit/cli.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import { listText, parseAnswer } from '../kit/messages.ts';

const SHIFTING = fileURLToPath(new URL('../servers/shifting.ts', import.meta.url));

let folder: string;
let home: string;
let file: string;
let token: string;

const offer = (tools: Record<string, string>): void =>
  writeFileSync(
    join(folder, 'offered.json'),
    JSON.stringify({
      tools: Object.entries(tools).map(([name, description]) => ({
        name,
        description,
        inputSchema: { type: 'object' },
      })),
    }),
  );

const start = (at = home, config?: object): Promise<TestHub> =>
  startHub({
    home: at,
    ...(config !== undefined && {
      config: { limits: { knownStartMs: 1 }, ...config },
      servers: {
        bank: { command: process.execPath, args: [SHIFTING, join(folder, 'offered.json'), 'Use it.'] },
      },
    }),
  });

async function listed(hub: TestHub): Promise<string[]> {
  const { messages } = await hub.connect(token).post(listText());
  const { result } = parseAnswer(messages.at(-1)!);
  return ((result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name).toSorted();
}
const expectListed = (hub: TestHub, names: string[]): Promise<void> =>
  expect.poll(() => listed(hub), { timeout: 10_000 }).toEqual(names);

const run = (args: string[], at = home): Promise<Ran> => runCli(args, at);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-backup-'));
  const filled = join(folder, 'filled');
  file = join(folder, 'backup.gz');
  offer({ pay: 'Pays.' });
  await using hub = await start(filled, {});
  token = ((await hub.control('POST', 'tokens', { name: 'laptop' })).value as { token: string }).token;
  await hub.control('GET', 'tools');
  expect((await runCli(['secret', 'set', 'KEY'], filled, { input: 'hunter2' })).code).toBe(0);
  const { stdout, stderr, code } = await runCli(['backup', file], filled);
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${file}\n` });
  expect(stderr).toContain('master-key.txt');
  expect(stderr).toContain('calls.sqlite');
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  home = mkdtempSync(join(folder, 'home-'));
  cpSync(join(folder, 'filled'), home, { recursive: true });
  offer({ pay: 'Pays.' });
});

it('writes a backup of a running hub that only its owner can read, without a key, and never overwrites it', async () => {
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const again = await run(['backup', file, '--json']);
  expect(again.code).toBe(2);
  const { stdout } = await run(['backup', join(home, 'second.gz'), '--json']);
  const { included, notIncluded } = JSON.parse(stdout) as Record<string, string[]>;
  expect(included).toEqual(expect.arrayContaining(['config.json', 'state.sqlite', 'mcp-token.txt']));
  expect(included).not.toContain('master-key.txt');
  expect(notIncluded!.join()).toContain('--with-key');
  const withKey = await run(['backup', join(home, 'third.gz'), '--with-key', '--json']);
  expect(withKey.stdout).toContain('"master-key.txt"');
});

it('restores tokens, configuration and pins into a new folder', async () => {
  const other = join(home, 'elsewhere');
  const { code, stdout, stderr } = await run(['restore', file], other);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(other) });
  expect(stderr).toContain('Not in the backup: the key');
  copyFileSync(join(home, 'master-key.txt'), join(other, 'master-key.txt'));
  expect((await run(['secret', 'list'], other)).stdout).toContain('KEY');
  offer({ pay: 'Pays somebody else.' });
  await using hub = await start(other);
  await expectListed(hub, []);
  expect((await run(['accept'], other)).stdout).toContain('bank.pay');
});

it('keeps the previous state, and holds tools accepted since the backup', async () => {
  offer({ pay: 'Pays.', later: 'Came later.' });
  {
    await using hub = await start();
    await expectListed(hub, ['bank__later', 'bank__pay']);
  }
  const before = readFileSync(join(home, 'config.json'), 'utf8');
  writeFileSync(join(home, 'config.json'), '{ "servers": {} }');
  const { stdout } = await run(['restore', file, '--json']);
  const report = JSON.parse(stdout) as { before: string };
  expect(readFileSync(join(home, 'config.json'), 'utf8')).toBe(before);
  expect(readFileSync(join(report.before, 'config.json'), 'utf8')).toBe('{ "servers": {} }');
  expect(readdirSync(report.before)).toContain('state.sqlite');
  expect(readdirSync(home).filter((name) => name.startsWith('restoring-'))).toEqual([]);
  await using hub = await start();
  await expectListed(hub, ['bank__pay']);
  expect((await run(['accept'])).stdout).toContain('bank.later');
});

it('changes nothing while a hub runs, or if the file is damaged', async () => {
  const bytes = readFileSync(file);
  const damaged = join(home, 'damaged.gz');
  bytes[bytes.length >> 1]! ^= 0xff;
  writeFileSync(damaged, bytes);
  for (const bad of [damaged, join(home, 'config.json'), join(home, 'none')]) {
    const { code, stderr } = await run(['restore', bad]);
    expect(code, bad).toBe(2);
    expect(stderr).toContain(bad);
  }
  await using hub = await start();
  const { code, stderr } = await run(['restore', file]);
  expect(code).toBe(1);
  expect(stderr).toContain(String(hub.pid));
  expect(readdirSync(home).filter((name) => name.includes('restor'))).toEqual([]);
  expect(await listed(hub)).toEqual(['bank__pay']);
});

it('restores only the state from a daily copy', async () => {
  const config = readFileSync(join(home, 'config.json'), 'utf8');
  {
    await using hub = await startHub({
      home,
      config: { ...(JSON.parse(config) as object), store: { checkHours: 0.0003 } },
      servers: (JSON.parse(config) as { servers: Record<string, object> }).servers,
    });
    await expect.poll(() => readdirSync(home), { timeout: 15_000 }).toContain('copies');
    await expect
      .poll(() => readdirSync(join(home, 'copies')).filter((name) => name.endsWith('.sqlite')), {
        timeout: 15_000,
      })
      .toHaveLength(1);
    const [copy] = readdirSync(join(home, 'copies'));
    expect(statSync(join(home, 'copies', copy!)).mode & 0o777).toBe(0o600);
    await hub.control('DELETE', 'tokens?name=laptop');
  }
  const [copy] = readdirSync(join(home, 'copies'));
  expect((await run(['restore', join(home, 'copies', copy!)])).code).toBe(0);
  await using hub = await start();
  await expectListed(hub, ['bank__pay']);
});
