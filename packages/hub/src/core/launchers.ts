/**
 * Programs that fetch a server from a registry and run it. They look for settings, packages and programs in their
 * working folder, so they would run files that another person put there. Pure data.
 */
export interface Launcher {
  readonly names: readonly string[];
  /** The first words that make it fetch; absent if it always fetches. */
  readonly verbs?: readonly (readonly string[])[];
  /** Options before the verb whose value is the next word. */
  readonly valueOptions?: readonly string[];
  /** It fetches only packages that match. */
  readonly fetched?: RegExp;
  /** npm runs the program in a shell that we choose, and that shell can change the folder. */
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

interface Wrapper {
  /** Matches its options, and for `env` also variables. */
  readonly options: RegExp;
  /** Options whose value is the next word. */
  readonly valueOptions?: readonly string[];
  /** Number of its own words after the options. */
  readonly operands?: number;
}

const DASH = /^-/;

/** Programs that start another program, given by the words that follow. */
const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: {
    options: /^(?:-.*|[A-Za-z_]\w*=.*)$/s,
    valueOptions: ['-u', '--unset', '-C', '--chdir', '-a', '--argv0'],
  },
  nice: { options: DASH, valueOptions: ['-n', '--adjustment'] },
  ionice: { options: DASH, valueOptions: ['-c', '--class', '-n', '--classdata'] },
  timeout: { options: DASH, valueOptions: ['-k', '--kill-after', '-s', '--signal'], operands: 1 },
  stdbuf: { options: DASH, valueOptions: ['-i', '-o', '-e'] },
  'xvfb-run': { options: DASH, valueOptions: ['-e', '-f', '-n', '-p', '-s', '-w'] },
  caffeinate: { options: DASH, valueOptions: ['-t', '-w'] },
  time: { options: DASH, valueOptions: ['-f', '-o'] },
  nohup: { options: DASH },
  setsid: { options: DASH },
  corepack: { options: DASH },
  cmd: { options: /^\/[a-z]/i },
};

/** Returns `npx` for `C:\x\npx.cmd`. */
export const programName = (command: string): string =>
  command
    .replace(/^.*[\\/]/s, '')
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat|com|ps1)$/, '');

/** The words without leading wrappers. */
export function unwrapped(words: readonly string[]): readonly string[] {
  const [command = '', ...args] = words;
  const name = programName(command);
  if (!Object.hasOwn(WRAPPERS, name)) return words;
  const { options, valueOptions = [], operands = 0 } = WRAPPERS[name]!;
  const isValue = (at: number): boolean => at > 0 && valueOptions.includes(args[at - 1]!);
  const first = args.findIndex((word, at) => !options.test(word) && !isValue(at));
  const rest = first === -1 ? [] : args.slice(first + operands);
  return rest.length === 0 ? words : unwrapped(rest);
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
