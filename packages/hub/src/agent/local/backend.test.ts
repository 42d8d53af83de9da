import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import type { OrderListener } from '../backend.ts';
import { createLocalBackend, type LocalBackendParts, LOCAL_LIMITS } from './backend.ts';
import { processTree } from '../../owner/end-processes.ts';

/** A fake OpenClaw. The message tells it what to do. */
const PROGRAM = `
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
const file = process.argv.find((each) => each.startsWith('--message-file=')).slice(15);
const does = JSON.parse(readFileSync(file, 'utf8'));
if (does.log) appendFileSync(does.log, 'begin ');
if (does.first && !existsSync(does.first.mark)) {
  writeFileSync(does.first.mark, '');
  console.log(does.first.says);
  process.exit(1);
}
if (does.stubborn) {
  const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
  child.once('spawn', () => setTimeout(() => writeFileSync(does.stubborn, String(process.pid) + ' ' + child.pid), 300));
}
const about = { args: process.argv.slice(2), cwd: process.cwd(), mode: statSync(file).mode & 0o777, folder: statSync(process.cwd()).mode & 0o777 };
setTimeout(() => {
  if (does.log) appendFileSync(does.log, 'end ');
  if (does.stderr) process.stderr.write(does.stderr);
  if (does.signal) process.kill(process.pid, does.signal);
  else {
    process.stdout.write(does.stdout ?? JSON.stringify({ payloads: [{ text: does.says ?? JSON.stringify(does.env?.flatMap((name) => process.env[name] ?? []) ?? about) }], meta: {} }));
    process.exitCode = does.exit ?? 0;
  }
}, does.ms ?? 0);
`;

const folder = mkdtempSync(join(tmpdir(), 'pincer-local-'));
const program = join(folder, 'openclaw.mjs');
writeFileSync(program, PROGRAM);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let marks = 0;
const mark = (): string => join(folder, `mark-${marks++}`);
const backend = (parts: Partial<LocalBackendParts> = {}) =>
  createLocalBackend({
    env: { PATH: process.env['PATH'] },
    limits: DEFAULT_LIMITS,
    command: [process.execPath, program],
    ...parts,
  });
const order = (does: object, more = {}) => ({
  message: JSON.stringify(does),
  sessionKey: 'mcp:a:b',
  attachments: [],
  agentId: undefined,
  commands: false,
  ...more,
});
const listener = (signal = new AbortController().signal): OrderListener => ({
  signal,
  onProgress: () => undefined,
  ask: () => Promise.resolve(undefined),
});
const textOf = (end: object): string => ('text' in end ? String(end.text) : '');

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 2_000 && !condition(); tries++) await sleep(10);
  expect(condition()).toBe(true);
}

const written = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

describe('local order', () => {
  it('runs in a private folder that is removed afterwards', async () => {
    const end = await backend().run(order({}, { agentId: 'work' }), listener());
    const { args, cwd, mode, folder: folderMode } = JSON.parse(textOf(end)) as Record<string, unknown>;
    expect(args).toEqual(expect.arrayContaining(['--local', '--session-key=mcp:a:b', '--agent=work']));
    expect([mode, folderMode]).toEqual([0o600, 0o700]);
    expect(() => readdirSync(String(cwd))).toThrow('ENOENT');
  });

  it('hides test variables from OpenClaw', async () => {
    const env = { ...process.env, VITEST: 'true', NODE_ENV: 'test', OTHER: 'kept' };
    const end = await backend({ env }).run(order({ env: ['VITEST', 'NODE_ENV', 'OTHER'] }), listener());
    expect(textOf(end)).toBe('["kept"]');
  });

  it('waits for the order before it', async () => {
    const log = mark();
    const one = backend();
    const orders = [1, 2].map((key) => order({ log, ms: 100 }, { sessionKey: `mcp:a:${key}` }));
    await Promise.all(orders.map((each) => one.run(each, listener())));
    expect(written(log)).toBe('begin end begin end ');
  });

  it('can be cancelled while it waits, and never runs', async () => {
    const log = mark();
    const one = backend();
    const caller = new AbortController();
    const first = one.run(order({ log, ms: 500 }), listener());
    const second = one.run(order({ log }), listener(caller.signal));
    caller.abort();
    expect(await second).toEqual({ kind: 'stopped', text: '', neverRan: true });
    await first;
    expect(written(log)).toBe('begin end ');
  });

  it('leaves no process behind when stopped, even one that ignores signals', async () => {
    const stubborn = mark();
    const caller = new AbortController();
    const run = backend({ local: { ...LOCAL_LIMITS, termMs: 500 } }).run(
      order({ stubborn, ms: 60_000 }),
      listener(caller.signal),
    );
    await until(() => written(stubborn) !== '');
    const pids = written(stubborn).split(' ').map(Number);
    expect(pids.map((pid) => processTree(pid).length > 0)).toEqual([true, true]);
    caller.abort();
    expect(await run).toEqual({ kind: 'stopped', text: '' });
    await until(() => pids.every((pid) => processTree(pid).length === 0));
  });

  it('ends at once when the backend closes, with processes that ignore signals', async () => {
    const one = backend();
    const stubborn = mark();
    const run = one.run(order({ stubborn, ms: 60_000 }), listener());
    await until(() => written(stubborn) !== '');
    const pids = written(stubborn).split(' ').map(Number);
    one.close();
    expect(await run).toEqual({ kind: 'stopped', text: '' });
    await until(() => pids.every((pid) => processTree(pid).length === 0));
    expect(await one.run(order({}), listener())).toMatchObject({ neverRan: true });
  });

  it('is retried while another OpenClaw holds the lock', async () => {
    const says = '{"ok":false,"error":{"message":"failed to acquire gateway state ownership"}}';
    const local = { ...LOCAL_LIMITS, busyPauseMs: 1 };
    const does = { first: { mark: mark(), says }, says: 'done' };
    expect(await backend({ local }).run(order(does), listener())).toMatchObject({
      kind: 'answered',
      text: 'done',
    });
    const impatient = backend({ local: { ...local, busyWaitMs: 0 } });
    await expect(impatient.run(order({ stdout: says, exit: 1 }), listener())).rejects.toMatchObject({
      code: 'SERVER_BUSY',
      data: { reason: 'busy' },
    });
  });

  it('goes to the gateway if one was started', async () => {
    const stdout =
      '{"ok":false,"error":{"message":"A Gateway is running for this state directory (pid 7, port 1)."}}';
    await expect(backend().run(order({ stdout, exit: 1 }), listener())).rejects.toMatchObject({
      code: 'SERVER_BUSY',
      data: { reason: 'gateway' },
    });
  });

  it('says how to install OpenClaw if it is missing', async () => {
    const none = backend({ command: [join(folder, 'no-such-program')] });
    await expect(none.run(order({}), listener())).rejects.toMatchObject({
      code: 'SERVER_UNREACHABLE',
      message: expect.stringContaining('no-such-program'),
      hint: expect.stringContaining('npm install -g openclaw'),
    });
  });

  it('fails with the reason if OpenClaw has no answer', async () => {
    const stderr = '[openclaw] Reason: no memory\n    at x (y:1:1)\n';
    expect(await backend().run(order({ stderr, stdout: '', exit: 3 }), listener())).toMatchObject({
      kind: 'failed',
      message: 'OpenClaw ended with code 3 and without an answer: no memory',
      hint: expect.stringContaining('openclaw doctor'),
    });
  });

  it('is lost if something else kills OpenClaw', async () => {
    expect(await backend().run(order({ signal: 'SIGKILL' }), listener())).toMatchObject({
      kind: 'lost',
      reason: { code: 'SERVER_GONE' },
    });
  });

  it('is stopped if it takes too long or writes too much', async () => {
    const slow = backend({ local: { ...LOCAL_LIMITS, timeoutMs: 100, marginMs: 0 } });
    expect(await slow.run(order({ ms: 60_000 }), listener())).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('longer than 0.1 seconds'),
    });
    const brief = backend({ local: { ...LOCAL_LIMITS, maxOutputBytes: 100 } });
    expect(await brief.run(order({ says: 'x'.repeat(101) }), listener())).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('too long'),
    });
  });
});
