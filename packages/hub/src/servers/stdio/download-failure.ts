/** Why a launcher such as `npx` could not get the program that it was to start, read from its stderr. Pure. */

export interface DownloadFailure {
  /** For everybody: names neither the package nor the registry. */
  readonly reason: string;
  /** Another attempt may succeed though nobody changes anything. */
  readonly isPassing: boolean;
  /** For the owner: the launcher's own words, and the next step as a command. */
  readonly advice: string;
}

interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

type Kind = 'unknown' | 'version' | 'unreachable' | 'damaged' | 'refused' | 'failing';

const REASONS: Readonly<Record<Kind, string>> = {
  unknown: 'the registry has no such package',
  version: 'the registry has no such version of the package',
  unreachable: 'the registry cannot be reached',
  damaged: 'what came does not match its checksum',
  refused: 'the registry does not let you have it',
  failing: 'the registry reports an error of its own',
};
const PASSING: ReadonlySet<Kind> = new Set<Kind>(['unreachable', 'damaged', 'failing']);

const KIND_BY_CODE: ReadonlyMap<string, Kind> = new Map([
  ...['E404', 'ENOVERSIONS', 'FETCH_404'].map((code) => [code, 'unknown'] as const),
  ...['ETARGET', 'NO_MATCHING_VERSION'].map((code) => [code, 'version'] as const),
  ...['EINTEGRITY', 'TARBALL_INTEGRITY', 'TAR_BAD_ARCHIVE'].map((code) => [code, 'damaged'] as const),
  ...['E401', 'E403', 'ENEEDAUTH', 'FETCH_401', 'FETCH_403'].map((code) => [code, 'refused'] as const),
  ...['E429', 'E500', 'E502', 'E503', 'E504'].map((code) => [code, 'failing'] as const),
  ...[
    'ENOTFOUND',
    'EAI_AGAIN',
    'ECONNREFUSED',
    'ECONNRESET',
    'ETIMEDOUT',
    'ENETUNREACH',
    'EHOSTUNREACH',
    'ERR_SOCKET_TIMEOUT',
    'META_FETCH_FAIL',
  ].map((code) => [code, 'unreachable'] as const),
]);

/** The code of npm or pnpm, if it is one of a download. */
const CODE = /^(?:npm (?:error|ERR!) code (\w+)|.*\bERR_PNPM_(\w+))/m;
/** npm writes facts for programs first. */
const FACT = /^npm (?:error|ERR!) (?:code|syscall|errno|type|path|dest)\b/;

/** What others write, who have no codes. Docker, uv, bun. */
const WORDS: readonly (readonly [RegExp, Kind])[] = [
  [/^.*was not found in the package registry.*$/m, 'unknown'],
  [/^.*(?:pull access denied|manifest unknown|repository does not exist).*$/m, 'unknown'],
  [/^error: GET \S+ - 404.*$/m, 'unknown'],
  [/^.*there is no version of .*$/im, 'version'],
  [/^.*(?:Failed to fetch|error sending request|dial tcp|no such host|ConnectionRefused).*$/m, 'unreachable'],
];

/** Undefined: the program did not end because of a download, as far as its stderr tells. */
export function findDownloadFailure(stderr: string, launch: Launch): DownloadFailure | undefined {
  const found = byCode(stderr) ?? byWords(stderr, launch);
  if (found === undefined) return undefined;
  const { kind, code, line } = found;
  return {
    reason: `could not be downloaded: ${REASONS[kind]}${code === undefined ? '' : ` (${code})`}`,
    isPassing: PASSING.has(kind),
    advice: `It said: ${line.trim().slice(0, MAX_LINE)}. ${nextStep(kind, launch)}`.replaceAll(/\.+ /g, '. '),
  };
}

interface Found {
  readonly kind: Kind;
  readonly code?: string;
  readonly line: string;
}

function byCode(stderr: string): Found | undefined {
  const match = CODE.exec(stderr);
  const code = match?.[1] ?? match?.[2];
  const kind = code === undefined ? undefined : KIND_BY_CODE.get(code);
  if (match === null || code === undefined || kind === undefined) return undefined;
  const said = stderr
    .slice(match.index)
    .split('\n')
    .find((line) => !FACT.test(line) && line.trim() !== '');
  return { kind, code, line: said ?? match[0] };
}

/** Only of programs that download: a server may use the same words of something else. */
function byWords(stderr: string, { command }: Launch): Found | undefined {
  if (!LAUNCHERS.has(programName(command))) return undefined;
  for (const [pattern, kind] of WORDS) {
    const line = pattern.exec(stderr)?.[0];
    if (line !== undefined) return { kind, line };
  }
  return undefined;
}

function nextStep(kind: Kind, launch: Launch): string {
  const name = programName(launch.command);
  const isNpm = !OTHER_TOOLS.has(name);
  const wanted = packageOf(launch) ?? 'NAME';
  if (kind === 'unreachable') return `Check your network${isNpm ? ' and the registry: npm ping' : '.'}`;
  if (kind === 'damaged' && isNpm) return 'Empty the cache, then try again: npm cache clean --force';
  if (kind === 'refused' && isNpm) return 'See who you are to the registry: npm whoami';
  if (kind === 'failing') return 'Try again in a moment.';
  if (name === 'docker' || name === 'podman') return `Check the name of the image: ${name} pull ${wanted}`;
  if (!isNpm) return `Check the name of the package: ${name} ${wanted} --help`;
  return `Check the name of the package: npm view ${wanted.replace(VERSION, '')} versions`;
}

const MAX_LINE = 300;
const VERSION = /(?<=.)@[^@/]*$/;
const OTHER_TOOLS: ReadonlySet<string> = new Set(['uvx', 'uv', 'pipx', 'docker', 'podman']);
/** Programs that fetch what they are to run. */
const NPM_TOOLS = ['npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'bunx', 'bun', 'deno'];
const LAUNCHERS: ReadonlySet<string> = new Set([...NPM_TOOLS, ...OTHER_TOOLS]);
const SUBCOMMANDS: ReadonlySet<string> = new Set(['exec', 'x', 'dlx', 'run', 'tool']);
const NAMED_PACKAGE: ReadonlySet<string> = new Set(['-p', '--package', '--from', '--spec']);

const programName = (command: string): string =>
  command
    .split(/[/\\]/)
    .at(-1)!
    .replace(/\.(?:cmd|exe|ps1)$/i, '')
    .toLowerCase();

/** The launcher's name if the command may download first. */
export const launcherOf = (command: string): string | undefined => {
  const name = programName(command);
  return LAUNCHERS.has(name) ? name : undefined;
};

/** What is to be downloaded: an option that names it, else the first word. */
export function packageOf({ args }: Launch): string | undefined {
  for (const [index, word] of args.entries()) {
    if (NAMED_PACKAGE.has(word)) return args[index + 1];
    const [, inline] = /^--package=(.+)$/.exec(word) ?? [];
    if (inline !== undefined) return inline;
  }
  return args.find((word) => !word.startsWith('-') && !SUBCOMMANDS.has(word));
}
