/** Where on an interpreter's line its script stands. Only lines that leave no doubt are read. */

interface Line {
  /** Options without a value of their own. */
  readonly flag: RegExp;
  /** Options whose value is the next word. */
  readonly valued?: RegExp;
}

const SHELL: Line = { flag: /^[-+](?!.*[cso])[a-zA-Z]+$|^--(?:norc|noprofile|posix)$/ };
const NODE: Line = {
  flag: /^--(?:no-warnings|trace-[\w-]+|experimental-[\w-]+|no-experimental-[\w-]+|enable-source-maps|no-deprecation|throw-deprecation|[\w-]+=.*)$/s,
};
const LINES: ReadonlyMap<string, Line> = new Map([
  ...['sh', 'bash', 'dash', 'ash', 'ksh', 'mksh', 'zsh'].map((name) => [name, SHELL] as const),
  ...['python', 'pypy'].map((name) => [name, { flag: /^-[bBdEIiOPqsSuv]+$/, valued: /^-[WX]$/ }] as const),
  ...['node', 'nodejs'].map((name) => [name, NODE] as const),
  ['perl', { flag: /^-[wWTtX]+$/ }],
]);

/** What is not above: a script that stands first. */
const FIRST: Line = { flag: /(?!)/ };

/** Its place among `args`, which are those without the program. @returns undefined if it cannot be told. */
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
