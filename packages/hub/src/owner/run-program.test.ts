import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProgramRun } from '../core/program.ts';
import { taskkillArgs } from './end-processes.ts';
import { type Journal, openJournal } from './journal.ts';
import { processStart } from './process-identity.ts';
import { createPrograms, keepOutput, type Programs } from './run-program.ts';
import { prepareStateFolder, runFolder } from './state-folder.ts';

let home = '';
let journal: Journal;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pincer-run-'));
  prepareStateFolder(home);
  journal = openJournal(home);
});
afterEach(() => {
  journal.close();
  rmSync(home, { recursive: true, force: true });
});

const journalLines = (): object[] =>
  readFileSync(join(runFolder(home), 'children.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as object);

const run = (
  command: string,
  args: string[],
  more: Partial<ProgramRun> = {},
  programs: Programs = createPrograms(journal),
) =>
  programs.run({
    command,
    args,
    env: { PATH: process.env['PATH'] ?? '' },
    signal: new AbortController().signal,
    timeoutMs: 20_000,
    maxBytes: 1024,
    whenFull: 'drop',
    ...more,
  });
const sh = (script: string, more: Partial<ProgramRun> = {}, to = journal) =>
  run('/bin/sh', ['-c', script], more, createPrograms(to));

async function until(condition: () => boolean): Promise<void> {
  for (let left = 500; !condition(); left -= 1) {
    if (left === 0) throw new Error('the condition never came true');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Prints the id of a grandchild that would run for a minute and ignores SIGTERM. */
const STUBBORN = `sh -c 'trap "" TERM; sleep 60 & sleep 60' & echo $!; `;

describe('a program that runs to its end', () => {
  test('returns its output, its errors and its exit code', async () => {
    expect(await sh('echo out; echo err >&2; exit 3')).toEqual({
      kind: 'exited',
      reason: 'exited with code 3',
      exitCode: 3,
      stdout: Buffer.from('out\n'),
      stderr: Buffer.from('err\n'),
      dropped: { stdout: 0, stderr: 0 },
    });
    await until(() => journalLines().length === 2);
    expect(journalLines()).toMatchObject([{ command: '/bin/sh' }, { ended: expect.any(Number) as number }]);
  });

  test('gets exactly the given input, folder, name and variables', async () => {
    const { stdout } = await sh('cat; pwd; echo "$0 $A ${HOME-none}"', {
      input: Buffer.from('in\n'),
      cwd: '/usr',
      env: { A: 'b', PATH: '/bin:/usr/bin' },
      argv0: 'other',
    });
    expect(stdout.toString()).toBe('in\n/usr\nother b none\n');
  });

  test('succeeds without reading its input', async () => {
    expect(await run('true', [], { input: Buffer.alloc(1_000_000) })).toMatchObject({ exitCode: 0 });
  });

  test('has no exit code after a signal', async () => {
    expect(await sh('kill -KILL $$')).toMatchObject({
      kind: 'exited',
      reason: 'was ended by SIGKILL',
      exitCode: null,
    });
  });

  test('reports its errors while it runs', async () => {
    const chunks: string[] = [];
    await sh('echo a >&2; sleep 0.1; echo b >&2', {
      onStderr: (chunk) => void chunks.push(chunk.toString()),
    });
    expect(chunks).toEqual(['a\n', 'b\n']);
  });
});

describe('a program that does not start', () => {
  test.each([
    [['/no/such/program'], {}, 'no such command "/no/such/program"'],
    [['/bin/sh'], { cwd: '/no/such/folder' }, 'no such folder "/no/such/folder"'],
    [['/usr'], {}, 'permission denied'],
    [['a\0b'], {}, 'ERR_INVALID_ARG_VALUE'],
  ])('%j with %j', async ([command], more, obstacle) => {
    expect(await run(command!, [], more)).toMatchObject({
      kind: 'not-started',
      reason: `could not be started: ${obstacle}`,
      obstacle,
      exitCode: null,
    });
    expect(journalLines()).toEqual([]);
  });

  test('because it was aborted before', async () => {
    expect(await sh('echo a', { signal: AbortSignal.abort() })).toMatchObject({ kind: 'aborted' });
    expect(journalLines()).toEqual([]);
  });

  test('because it may not begin', async () => {
    expect(await sh('echo a', { mayBegin: () => false })).toMatchObject({ kind: 'held-back' });
    expect(journalLines()).toEqual([]);
  });

  test('is ended if it cannot be written into the journal', async () => {
    let pid = 0;
    const broken: Journal = {
      ...journal,
      started(id) {
        pid = id;
        throw Object.assign(new Error('disk full'), { code: 'ENOSPC' });
      },
    };
    expect(await sh('sleep 60', {}, broken)).toMatchObject({
      kind: 'not-started',
      reason: 'could not be started: the journal of children cannot be written (ENOSPC)',
      obstacle: 'the journal of children cannot be written (ENOSPC)',
    });
    await until(() => processStart(pid) === undefined);
  });
});

describe('a program is ended with everything it started', () => {
  test('after its timeout', async () => {
    const end = await sh(`${STUBBORN} sleep 60`, { timeoutMs: 500 });
    expect(end).toMatchObject({ kind: 'timed-out', reason: 'took longer than 500 ms', exitCode: null });
    expect(processStart(Number(end.stdout))).toBeUndefined();
    await until(() => journalLines().length === 2);
  });

  test('including processes that left its group', async () => {
    const hasLeft = 'until [ "$(cut -d" " -f6 /proc/$p/stat)" = "$p" ]; do :; done';
    const script = `setsid sh -c 'trap "" TERM; sleep 60 & echo $!; wait' & p=$!; ${hasLeft}; echo $p; sleep 60`;
    const end = await sh(script, { timeoutMs: 1_000 });
    const pids = end.stdout.toString().trim().split('\n').map(Number);
    expect(pids).toHaveLength(2);
    await until(() => pids.every((pid) => processStart(pid) === undefined));
  });

  test('when it is aborted', async () => {
    const stop = new AbortController();
    const running = sh(`${STUBBORN} echo up >&2; sleep 60`, {
      signal: stop.signal,
      onStderr: () => stop.abort(),
    });
    const end = await running;
    expect(end.kind).toBe('aborted');
    expect(processStart(Number(end.stdout))).toBeUndefined();
  });

  test('when it writes too much', async () => {
    const end = await sh('yes', { maxBytes: 100, whenFull: 'end' });
    expect(end).toMatchObject({ kind: 'too-much', reason: 'wrote more than 100 bytes' });
    expect(end.stdout.length).toBe(100);
  });

  test('when it exits and leaves a process behind', async () => {
    const end = await sh(`${STUBBORN} exit 0`);
    expect(end).toMatchObject({ kind: 'exited', exitCode: 0 });
    await until(() => processStart(Number(end.stdout)) === undefined);
    await until(() => journalLines().length === 2);
  });
});

test('drops and counts output beyond the limit', async () => {
  const end = await sh('head -c 5000 /dev/zero; head -c 100 /dev/zero >&2', { maxBytes: 1000 });
  expect(end.dropped).toEqual({ stdout: 4000, stderr: 0 });
  expect(end.stdout.length).toBe(1000);
});

test('does not wait for a process that left the group and holds the output open', async () => {
  // It must have left first: a shell that exits takes its group with it.
  const hasLeft = 'until [ "$(cut -d" " -f6 /proc/$p/stat)" = "$p" ]; do :; done';
  const end = await run('/bin/sh', ['-c', `setsid sleep 30 & p=$!; ${hasLeft}; echo $p`]);
  expect(end).toMatchObject({ kind: 'exited', exitCode: 0 });
  const pid = Number(end.stdout);
  expect(processStart(pid)).toBeDefined();
  process.kill(pid, 'SIGKILL');
});

test('ends a tree by its root on Windows', () => {
  expect(taskkillArgs(42)).toEqual(['/PID', '42', '/T', '/F']);
});

describe('when the hub stops', () => {
  test('ends stubborn programs and everything they started', async () => {
    const programs = createPrograms(journal);
    let output = '';
    const onStdout = (chunk: Buffer): void => void (output += chunk.toString());
    const script = `trap "" TERM; ${STUBBORN} sleep 60`;
    const running = run('/bin/sh', ['-c', script], { onStdout }, programs);
    await until(() => output.endsWith('\n'));
    await programs.endAll();
    expect(processStart(Number(output))).toBeUndefined();
    await running;
  });

  test('a failing journal does not affect the result', async () => {
    const full: Journal = {
      ...journal,
      ended() {
        throw new Error('no space left on device');
      },
    };
    expect(await sh('exit 0', {}, full)).toMatchObject({ exitCode: 0 });
    await new Promise((resolve) => setTimeout(resolve, 100));
  });
});

test('keeps output up to the limit and counts the rest', () => {
  let full = 0;
  const output = keepOutput(5, () => (full += 1));
  for (const text of ['ab', 'c', 'def', 'g']) output.take(Buffer.from(text));
  expect([output.bytes().toString(), output.dropped, full]).toEqual(['abcde', 2, 2]);
});

test('copies chunks, so that many small ones take no more memory', () => {
  const output = keepOutput(1_000, () => undefined);
  const piece = Buffer.from('a');
  for (let at = 0; at < 500; at += 1) output.take(piece);
  piece.write('b');
  expect(output.bytes().toString()).toBe('a'.repeat(500));
});

test('returns an empty buffer without output', () => {
  expect(keepOutput(10, () => undefined).bytes()).toEqual(Buffer.alloc(0));
});
