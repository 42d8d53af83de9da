/**
 * How interpreters run a copy of a script under the script's own name. `$0`, `__file__`, `__dirname` and the paths of
 * neighbouring files stay the same. If an interpreter cannot do that, the note names the difference.
 */

interface RunnerOf {
  readonly before: readonly string[];
  /** The script as the command line names it. */
  readonly word: string;
  readonly after: readonly string[];
  /** The path of the copy. */
  readonly copy: string;
  readonly folder: string;
  readonly content: Buffer;
}

export interface Runner {
  /** For people. Absent if nothing is different. */
  note?(name: string): string;
  /** The arguments of the interpreter. */
  words(of: RunnerOf): readonly string[];
  files?(of: { readonly copy: string; readonly path: string }): Readonly<Record<string, string>>;
}

const PRELOAD = 'preload.cjs';

/** The script sees the path of the copy, for example in `$0`. */
const DIRECT: Runner = {
  note: (name) => `${name} runs as a private copy: it does not find files relative to itself.`,
  words: ({ before, copy, after }) => [...before, copy, ...after],
};

/** `.` keeps `$0` and the arguments. A script that compares BASH_SOURCE with `$0` must find both equal, so it runs directly. */
const SHELL: Runner = {
  note: (name) => `${name} runs as a private copy: BASH_SOURCE in it is the path of the copy.`,
  words: (of) =>
    of.content.includes('BASH_SOURCE')
      ? DIRECT.words(of)
      : [...of.before, '-c', `. ${quoted(of.copy)}`, of.word, ...of.after],
};

const PYTHON: Runner = {
  words: ({ before, word, after, copy }) => [
    ...before,
    '-c',
    PYTHON_CODE(JSON.stringify(copy)),
    word,
    ...after,
  ],
};

/** Does what Python does with a script, but with the bytes of the copy. */
const PYTHON_CODE = (copy: string): string =>
  [
    'import sys',
    // With -c the working folder is first in sys.path. Nothing must be loaded from it, so it is removed at once.
    "__first = not getattr(sys.flags, 'safe_path', False) and not sys.flags.isolated",
    'if __first: del sys.path[0]',
    'import os',
    'sys.argv = sys.argv[1:]',
    'if __first: sys.path.insert(0, os.path.dirname(os.path.realpath(sys.argv[0])))',
    '__file__ = os.path.abspath(sys.argv[0]) if sys.version_info >= (3, 9) else sys.argv[0]',
    `with open(${copy}, 'rb') as __copy: __code = compile(__copy.read(), __file__, 'exec', dont_inherit=True)`,
    'del sys, os, __copy, __first',
    "exec((lambda code: (globals().pop('__code'), code)[1])(__code))",
  ].join('\n');

const NODE: Runner = {
  words: ({ before, word, after, folder }) => ['-r', `${folder}/${PRELOAD}`, ...before, word, ...after],
  files: ({ copy, path }) => ({ [PRELOAD]: nodePreload(copy, path) }),
};

/** Gives Node the bytes of the copy for the path of the script. Newer versions have hooks; in older ones both loaders are patched. */
const nodePreload = (copy: string, path: string): string => `'use strict';
const Module = require('node:module');
const { pathToFileURL } = require('node:url');
const path = ${JSON.stringify(path)};
const url = pathToFileURL(path).href;
const source = require('node:fs').readFileSync(${JSON.stringify(copy)}, 'utf8');
const isScript = (each) => each.split(/[?#]/)[0] === url;
if (Module.registerHooks)
  Module.registerHooks({ load: (each, context, next) => isScript(each) ? { ...next(each, context), source } : next(each, context) });
else if (Module.register) {
  const hooks = 'let held; export const initialize = (data) => { held = data; };' +
    'export const load = async (each, context, next) => { const loaded = await next(each, context);' +
    'return each.split(/[?#]/)[0] === held.url && loaded.format === "module" ? { ...loaded, source: held.source } : loaded; };';
  Module.register('data:text/javascript,' + encodeURIComponent(hooks), { data: { url, source } });
  const compile = Module.prototype._compile;
  Module.prototype._compile = function (content, name, ...rest) {
    return compile.call(this, name === path ? source : content, name, ...rest);
  };
} else throw new Error('This Node cannot run a copy of a script. Install Node 20.6 or later.');
`;

const RUNNERS: ReadonlyMap<string, Runner> = new Map([
  ...['sh', 'bash', 'dash', 'ash', 'ksh', 'mksh'].map((name) => [name, SHELL] as const),
  ...['python', 'pypy'].map((name) => [name, PYTHON] as const),
  ...['node', 'nodejs'].map((name) => [name, NODE] as const),
]);

/** `name`: by `programName`. */
export const runnerOf = (name: string): Runner => RUNNERS.get(name) ?? DIRECT;

const quoted = (path: string): string => `'${path.replaceAll("'", String.raw`'\''`)}'`;

interface Line {
  /** Options without a value. */
  readonly flag: RegExp;
  /** Options whose value is the next word. */
  readonly valued?: RegExp;
}

const SHELL_LINE: Line = { flag: /^[-+](?!.*[cso])[a-zA-Z]+$|^--(?:norc|noprofile|posix)$/ };
const NODE_LINE: Line = {
  flag: /^--(?:no-warnings|trace-[\w-]+|experimental-[\w-]+|no-experimental-[\w-]+|enable-source-maps|no-deprecation|throw-deprecation|[\w-]+=.*)$/s,
};
const LINES: ReadonlyMap<string, Line> = new Map([
  ...['sh', 'bash', 'dash', 'ash', 'ksh', 'mksh', 'zsh'].map((name) => [name, SHELL_LINE] as const),
  ...['python', 'pypy'].map((name) => [name, { flag: /^-[bBdEIiOPqsSuv]+$/, valued: /^-[WX]$/ }] as const),
  ...['node', 'nodejs'].map((name) => [name, NODE_LINE] as const),
  ['perl', { flag: /^-[wWTtX]+$/ }],
]);

/** For other interpreters: the script is the first argument. */
const FIRST: Line = { flag: /(?!)/ };

/** The index of the script in `args`, which exclude the program. @returns undefined if it is unclear. */
export function scriptAt(name: string, args: readonly string[]): number | undefined {
  const { flag, valued } = LINES.get(name) ?? FIRST;
  let at = 0;
  for (; at < args.length; at += 1) {
    const word = args[at]!;
    if (valued?.test(word) === true) at += 1;
    else if (!flag.test(word)) break;
  }
  const word = args[at];
  return word === undefined || word === '' || /^[-+]/.test(word) ? undefined : at;
}
