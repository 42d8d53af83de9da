/** Scripts that run as private copies behave as they do in their own place, with the real interpreters. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { systemBench } from '../../../../../../test/kit/system-bench.ts';

interface Case {
  readonly files: Readonly<Record<string, string>>;
  readonly command: string[];
  readonly cwd?: string;
  /** `WORK` stands for the folder. */
  readonly stdout: string;
}

const SHELL_SCRIPT = 'echo "$0|$#|$*"; cat "$(dirname "$0")/data"; set -- b; echo "$1"; exit 3\n';

const CASES: Readonly<Record<string, Case>> = {
  'sh: $0, arguments, files beside it, exit': {
    files: { 'd/s.sh': SHELL_SCRIPT, 'd/data': 'beside\n' },
    command: ['sh', 'd/s.sh', 'one', 'two words'],
    stdout: 'd/s.sh|2|one two words\nbeside\nb',
  },
  'sh: options before the script': {
    files: { 's.sh': 'false\necho not reached\n' },
    command: ['sh', '-e', 's.sh'],
    stdout: '',
  },
  'sh: what it sources is found from where it was started': {
    files: { 's.sh': '. ./lib.sh\nhello\n', 'lib.sh': 'hello() { echo hello; }\n' },
    command: ['sh', 's.sh'],
    stdout: 'hello',
  },
  'bash: arrays, functions, here documents': {
    files: { 's.sh': 'a=(1 2 3)\nf() { echo "${a[1]} $LINENO"; }\nf\ncat <<E\n$0\nE\n' },
    command: ['bash', 's.sh'],
    stdout: '2 2\ns.sh',
  },
  'bash: a script that asks whether it was started or sourced': {
    files: { 's.sh': '[[ "${BASH_SOURCE[0]}" == "$0" ]] && echo started\n' },
    command: ['bash', 's.sh'],
    stdout: 'started',
  },
  'a script by its first line': {
    files: { tool: '#!/bin/sh -e\necho "$0 $1"\nfalse\necho not reached\n' },
    command: ['./tool', 'x'],
    stdout: 'WORK/tool x',
  },
  'a script by env': {
    files: { tool: '#!/usr/bin/env python3\nimport sys\nprint(sys.argv, __file__)\n' },
    command: ['./tool', 'x'],
    stdout: "['WORK/tool', 'x'] WORK/tool",
  },
  'python: modules beside it, __file__, __name__, arguments': {
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
  'python: nothing of the working folder, where the script is elsewhere': {
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
  'node: CommonJS with modules beside it': {
    files: {
      'd/t.js':
        'console.log(__filename, process.argv.slice(1).join(), require("./lib").x, require.main === module)\n',
      'd/lib.js': 'exports.x = 1\n',
    },
    command: ['node', 'd/t.js', 'a', '-b'],
    stdout: 'WORK/d/t.js WORK/d/t.js,a,-b 1 true',
  },
  'node: a module with modules beside it': {
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
  // It was a copy, and nothing of it is left.
  expect(JSON.stringify(runs[0])).toContain(join(home, 'run', 'exec-'));
  expect(readdirSync(join(home, 'run'))).toEqual([]);
});

test('a program that everything may run under is started from its own place', async () => {
  const { run, runs, work, home } = systemBench();
  writeFileSync(join(work, 's.sh'), 'echo hi\n');
  await run({ command: ['sh', 's.sh'] });
  expect(JSON.stringify(runs)).not.toContain(home);
  expect(existsSync(join(home, 'run'))).toBe(false);
});
