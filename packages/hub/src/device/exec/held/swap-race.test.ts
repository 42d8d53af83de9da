/** Somebody exchanges a script again and again while it is looked at and started. What a person saw is what runs, or nothing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemBench } from '../../../../../../test/kit/system-bench.ts';
import { sha256Hex } from '../sha256.ts';

const TRIES = 150;
/** Of interpreters that take long to start. */
const FEWER_TRIES = 25;

/** By rename and in place, in turn, as fast as it can, with a moment in which the good one stays. */
const SWAPPER = `
import os, sys, time, shutil
names = sys.argv[1:]
good = [open(n + '.good', 'rb').read() for n in names]
evil = [open(n + '.evil', 'rb').read() for n in names]
def put(n, data, in_place):
    if in_place:
        with open(n, 'r+b') as f:
            f.write(data); f.truncate(len(data))
    else:
        with open(n + '.new', 'wb') as f: f.write(data)
        os.chmod(n + '.new', 0o755)
        os.replace(n + '.new', n)
turn = 0
print('ready', flush=True)
while os.getppid() == ${process.pid}:
    turn += 1
    for n, e in zip(names, evil): put(n, e, turn % 2 == 0)
    time.sleep(0.001 * (turn % 3))
    for n, g in zip(names, good): put(n, g, turn % 2 == 0)
    time.sleep(0.002 * (turn % 11))
`;

/** Both have the same length, so that in place only the bytes differ. */
const SCRIPTS: [name: string, command: string[], text: string, tries: number][] = [
  ['s.sh', ['sh', 's.sh'], 'echo WORD', TRIES],
  ['b.sh', ['bash', 'b.sh'], 'echo WORD', TRIES],
  ['run.py', ['python3', '-S', '-E', 'run.py'], 'print("WORD")', FEWER_TRIES],
  ['t.js', ['node', 't.js'], 'console.log("WORD")', FEWER_TRIES],
  ['tool', ['./tool'], '#!/bin/sh\necho WORD', TRIES],
];

test(`${TRIES} tries with each kind of script: none wins`, { timeout: 180_000 }, async () => {
  const bench = systemBench({});
  const { work, prepare, contextOf } = bench;
  for (const [name, , text] of SCRIPTS) {
    for (const word of ['good', 'evil'])
      writeFileSync(join(work, `${name}.${word}`), `${text.replace('WORD', word)}\n`, { mode: 0o755 });
    copyFileSync(join(work, `${name}.good`), join(work, name));
  }
  const swapper = spawn('python3', ['-c', SWAPPER, ...SCRIPTS.map(([name]) => join(work, name))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void swapper.kill('SIGKILL'));
  await once(swapper.stdout, 'data');

  const counts = { good: 0, evil: 0, refused: 0, other: 0 };
  const attempt = async ([, command, text]: (typeof SCRIPTS)[number]): Promise<void> => {
    const good = sha256Hex(`${text.replace('WORD', 'good')}\n`);
    const looked = async () => {
      const asked = await prepare({ command }).catch(() => undefined);
      return JSON.stringify(asked?.subject ?? '').includes(good) ? asked : undefined;
    };
    let asked = await looked();
    // The person says yes to the good one alone.
    while (asked === undefined) asked = await looked();
    const stdout = await asked.run(contextOf()).then(
      (result) => (result as { stdout: string }).stdout,
      () => 'refused',
    );
    const said = stdout === 'good' || stdout === 'evil' || stdout === 'refused' ? stdout : 'other';
    counts[said] += 1;
  };
  await Promise.all(
    SCRIPTS.map(async (script) => {
      for (let tries = 0; tries < script[3]; tries += 1) await attempt(script);
    }),
  );
  expect(counts).toMatchObject({ evil: 0, other: 0 });
  expect(counts.good).toBeGreaterThan(0);
  expect(counts.good + counts.refused).toBe(SCRIPTS.reduce((sum, script) => sum + script[3], 0));
});
