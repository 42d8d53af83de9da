/**
 * Programs that fetch a server from a registry and run it. In the folder that they run in they look for settings, for
 * packages and for programs, and so run what someone put there. As data, and pure.
 */
export interface Launcher {
  readonly names: readonly string[];
  /** The first words that make it fetch; absent: it always does. */
  readonly verbs?: readonly (readonly string[])[];
  /** Options before the verb whose value is the next word. */
  readonly valueOptions?: readonly string[];
  /** It fetches only what is named like this. */
  readonly fetched?: RegExp;
  /** npm runs the program with a shell of our choice, which can change the folder. */
  readonly isNpm?: true;
}

const NPM_OPTIONS = [
  '--prefix',
  '-C',
  '--userconfig',
  '--cache',
  '--registry',
  '--loglevel',
  '-w',
  '--workspace',
];
const UV_OPTIONS = [
  '--directory',
  '--project',
  '--config-file',
  '--cache-dir',
  '--color',
  '--allow-insecure-host',
];

const LAUNCHERS: readonly Launcher[] = [
  { names: ['npx'], isNpm: true },
  { names: ['npm'], verbs: [['exec'], ['x']], valueOptions: NPM_OPTIONS, isNpm: true },
  { names: ['pnpx', 'pnx'] },
  { names: ['pnpm', 'pn'], verbs: [['dlx']], valueOptions: [...NPM_OPTIONS, '--dir', '--filter', '-F'] },
  { names: ['yarn', 'yarnpkg'], verbs: [['dlx']], valueOptions: ['--cwd'] },
  { names: ['bunx'] },
  { names: ['bun'], verbs: [['x']], valueOptions: ['--cwd', '-c', '--config', '--env-file'] },
  { names: ['uvx', 'uvw'] },
  { names: ['uv'], verbs: [['tool', 'run'], ['x']], valueOptions: UV_OPTIONS },
  { names: ['pipx'], verbs: [['run']] },
  { names: ['dx'] },
  { names: ['deno'], verbs: [['x']] },
  { names: ['deno'], verbs: [['run'], ['serve']], fetched: /^(?:npm:|jsr:|https?:)/ },
];

/** Programs that start another one with the words that follow. */
const WRAPPERS: Readonly<Record<string, RegExp>> = {
  // Their own options and, for `env`, variables.
  env: /^(?:-.*|[A-Za-z_]\w*=.*)$/s,
  nice: /^-/,
  nohup: /^-/,
  cmd: /^\/[a-z]/i,
  corepack: /^-/,
};

/** `C:\x\npx.cmd` is `npx`. */
export const programName = (command: string): string =>
  command
    .replace(/^.*[\\/]/s, '')
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat|com|ps1)$/, '');

/** The words without the wrappers in front. */
export function unwrapped(words: readonly string[]): readonly string[] {
  const [command = '', ...args] = words;
  const own = WRAPPERS[programName(command)];
  if (own === undefined) return words;
  const at = args.findIndex((word) => !own.test(word));
  return at === -1 ? words : unwrapped(args.slice(at));
}

export function findLauncher(words: readonly string[]): Launcher | undefined {
  const [command = '', ...args] = unwrapped(words);
  const name = programName(command);
  return LAUNCHERS.find((launcher) => launcher.names.includes(name) && fetches(launcher, args));
}

function fetches({ verbs, valueOptions = [], fetched }: Launcher, args: readonly string[]): boolean {
  if (verbs === undefined) return true;
  const plain = args.filter(
    (word, at) => !word.startsWith('-') && !(at > 0 && valueOptions.includes(args[at - 1]!)),
  );
  const isVerb = verbs.some((verb) => verb.every((word, at) => plain[at] === word));
  return isVerb && (fetched === undefined || plain.some((word) => fetched.test(word)));
}
