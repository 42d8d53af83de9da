/** Scripts that run as private copies behave as in place, with the real interpreters. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync, copyFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test, onTestFinished } from 'vitest';
import { systemBench } from '../../../../../test/kit/system-bench.ts';
import { sha256 } from '../../lib/digest.ts';

interface Case {
  readonly files: Readonly<Record<string, string>>;
  readonly command: string[];
  readonly cwd?: string;
  /** `WORK` stands for the folder. */
  readonly stdout: string;
}

const SHELL_SCRIPT = 'echo "$0|$#|$*"; cat "$(dirname "$0")/data"; set -- b; echo "$1"; exit 3\n';

const CASES: Readonly<Record<string, Case>> = {
  'sh: $0, arguments, neighbouring files, exit code': {
    files: { 'd/s.sh': SHELL_SCRIPT, 'd/data': 'beside\n' },
    command: ['sh', 'd/s.sh', 'one', 'two words'],
    stdout: 'd/s.sh|2|one two words\nbeside\nb',
  },
  'sh: options before the script': {
    files: { 's.sh': 'false\necho not reached\n' },
    command: ['sh', '-e', 's.sh'],
    stdout: '',
  },
  'sh: finds sourced files relative to the working folder': {
    files: { 's.sh': '. ./lib.sh\nhello\n', 'lib.sh': 'hello() { echo hello; }\n' },
    command: ['sh', 's.sh'],
    stdout: 'hello',
  },
  'bash: arrays, functions, here documents': {
    files: { 's.sh': 'a=(1 2 3)\nf() { echo "${a[1]} $LINENO"; }\nf\ncat <<E\n$0\nE\n' },
    command: ['bash', 's.sh'],
    stdout: '2 2\ns.sh',
  },
  'bash: a script that checks whether it was started or sourced': {
    files: { 's.sh': '[[ "${BASH_SOURCE[0]}" == "$0" ]] && echo started\n' },
    command: ['bash', 's.sh'],
    stdout: 'started',
  },
  'a script with an interpreter in its first line': {
    files: { tool: '#!/bin/sh -e\necho "$0 $1"\nfalse\necho not reached\n' },
    command: ['./tool', 'x'],
    stdout: 'WORK/tool x',
  },
  'a script with env in its first line': {
    files: { tool: '#!/usr/bin/env python3\nimport sys\nprint(sys.argv, __file__)\n' },
    command: ['./tool', 'x'],
    stdout: "['WORK/tool', 'x'] WORK/tool",
  },
  'python: neighbouring modules, __file__, __name__, arguments': {
    files: {
      'd/run.py':
        'import sys, lib\nprint(sys.argv, __file__, __name__, sys.path[0], lib.x)\nif __name__ == "__main__": print(sorted(k for k in globals() if not k.startswith("__")))\n',
      'd/lib.py': 'x = 1\n',
    },
    command: ['python3', 'd/run.py', '-a', 'b c'],
    stdout: "['d/run.py', '-a', 'b c'] WORK/d/run.py __main__ WORK/d 1\n['lib', 'sys']",
  },
  'python: a coding line, and future statements': {
    files: { 'run.py': '# -*- coding: latin-1 -*-\nfrom __future__ import annotations\nprint("ok")\n' },
    command: ['python3', 'run.py'],
    stdout: 'ok',
  },
  'python: loads no module from the working folder if the script is elsewhere': {
    files: {
      'd/run.py': 'import os, sys\nprint(len(os.sep), sys.path[0])\n',
      'os.py': 'print("evil")\n',
      'sys.py': 'print("evil")\n',
    },
    command: ['python3', '-S', '-E', 'd/run.py'],
    stdout: '1 WORK/d',
  },
  'python: isolated': {
    files: {
      'run.py': 'import sys\ntry:\n  import lib\nexcept ImportError: print("none", sys.argv)\n',
      'lib.py': '',
    },
    command: ['python3', '-I', 'run.py'],
    stdout: "none ['run.py']",
  },
  'node: CommonJS with neighbouring modules': {
    files: {
      'd/t.js':
        'console.log(__filename, process.argv.slice(1).join(), require("./lib").x, require.main === module)\n',
      'd/lib.js': 'exports.x = 1\n',
    },
    command: ['node', 'd/t.js', 'a', '-b'],
    stdout: 'WORK/d/t.js WORK/d/t.js,a,-b 1 true',
  },
  'node: a module with neighbouring modules': {
    files: {
      'd/t.mjs': 'import { x } from "./lib.mjs";\nconsole.log(import.meta.url, x, process.argv[2]);\n',
      'd/lib.mjs': 'export const x = 1;\n',
    },
    command: ['node', 'd/t.mjs', 'a'],
    stdout: 'file://WORK/d/t.mjs 1 a',
  },
  'node: "type": "module"': {
    files: { 'package.json': '{"type": "module"}', 't.js': 'import "node:fs";\nconsole.log("esm");\n' },
    command: ['node', 't.js'],
    stdout: 'esm',
  },
  'perl: as a copy under its own name': {
    files: { 's.pl': 'print "$ARGV[0]\\n"; print <DATA>;\n__END__\ndata\n' },
    command: ['perl', 's.pl', 'a'],
    stdout: 'a\ndata',
  },
  'through wrappers': {
    files: { 'd/s.sh': 'echo "$0 $1"\n' },
    command: ['timeout', '20', 'nice', '-n', '1', 'sh', 'd/s.sh', 'x'],
    stdout: 'd/s.sh x',
  },
};

test.each(Object.entries(CASES))('%s', async (_, { files, command, stdout }) => {
  const { prepare, contextOf, work, home, runs } = systemBench({});
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(work, name)), { recursive: true });
    writeFileSync(join(work, name), text, { mode: 0o755 });
  }
  const asked = await prepare({ command });
  expect(asked.decision).toBe('ask');
  const result = (await asked.run(contextOf())) as { stdout: string; stderr: string };
  expect(result.stdout, result.stderr).toBe(stdout.replaceAll('WORK', work));
  // A copy ran, and it was removed.
  expect(JSON.stringify(runs[0])).toContain(join(home, 'run', 'exec-'));
  expect(readdirSync(join(home, 'run'))).toEqual([]);
});

test('a program runs in place if the policy allows everything', async () => {
  const { run, runs, work, home } = systemBench();
  writeFileSync(join(work, 's.sh'), 'echo hi\n');
  await run({ command: ['sh', 's.sh'] });
  expect(JSON.stringify(runs)).not.toContain(home);
  expect(existsSync(join(home, 'run'))).toBe(false);
});

const TRIES = 150;
/** For interpreters that start slowly. */
const FEWER_TRIES = 25;

/** Alternates good and evil files, by rename and in place, as fast as it can, and leaves the good one a moment longer. */
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

/** Good and evil have the same length, so that only the bytes differ. */
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
    const good = sha256(`${text.replace('WORD', 'good')}\n`);
    const prepareGood = async () => {
      const asked = await prepare({ command }).catch(() => undefined);
      return JSON.stringify(asked?.subject ?? '').includes(good) ? asked : undefined;
    };
    let asked = await prepareGood();
    // The person approves only the good one.
    while (asked === undefined) asked = await prepareGood();
    const stdout = await asked.run(contextOf()).then(
      (result) => (result as { stdout: string }).stdout,
      () => 'refused',
    );
    const kind = stdout === 'good' || stdout === 'evil' || stdout === 'refused' ? stdout : 'other';
    counts[kind] += 1;
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
