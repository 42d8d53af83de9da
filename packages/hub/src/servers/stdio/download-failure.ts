/** Reads from a launcher's stderr (such as `npx`) why it could not download its program. */

export interface DownloadFailure {
  /** For everyone: names neither the package nor the registry. */
  readonly reason: string;
  /** Another attempt may succeed without any change. */
  readonly isPassing: boolean;
  /** For the owner: the launcher's own message, and the next step as a command. */
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
  damaged: 'the download does not match its checksum',
  refused: 'the registry denies access to it',
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

/** The error code of npm or pnpm, if it belongs to a download. */
const CODE = /^(?:npm (?:error|ERR!) code (\w+)|.*\bERR_PNPM_(\w+))/m;
/** Lines for programs, which npm writes first. */
const FACT = /^npm (?:error|ERR!) (?:code|syscall|errno|type|path|dest)\b/;

/** Messages of tools without codes: Docker, uv, bun. */
const WORDS: readonly (readonly [RegExp, Kind])[] = [
  [/^.*was not found in the package registry.*$/m, 'unknown'],
  [/^.*(?:pull access denied|manifest unknown|repository does not exist).*$/m, 'unknown'],
  [/^error: GET \S+ - 404.*$/m, 'unknown'],
  [/^.*there is no version of .*$/im, 'version'],
  [/^.*(?:Failed to fetch|error sending request|dial tcp|no such host|ConnectionRefused).*$/m, 'unreachable'],
];

/** Returns undefined if stderr shows no failed download. */
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
  const text = stderr
    .slice(match.index)
    .split('\n')
    .find((line) => !FACT.test(line) && line.trim() !== '');
  return { kind, code, line: text ?? match[0] };
}

/** Only for programs that download: a server may use the same words for something else. */
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
  if (kind === 'refused' && isNpm) return 'Check your registry login: npm whoami';
  if (kind === 'failing') return 'Try again in a moment.';
  if (name === 'docker' || name === 'podman') return `Check the name of the image: ${name} pull ${wanted}`;
  if (!isNpm) return `Check the name of the package: ${name} ${wanted} --help`;
  return `Check the name of the package: npm view ${wanted.replace(VERSION, '')} versions`;
}

const MAX_LINE = 300;
const VERSION = /(?<=.)@[^@/]*$/;
const OTHER_TOOLS: ReadonlySet<string> = new Set(['uvx', 'uv', 'pipx', 'docker', 'podman']);
/** Programs that download what they run. */
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

/** The launcher's name, if the command may download first. */
export const launcherOf = (command: string): string | undefined => {
  const name = programName(command);
  return LAUNCHERS.has(name) ? name : undefined;
};

/** The package to download: the value of an option, otherwise the first word. */
export function packageOf({ args }: Launch): string | undefined {
  for (const [index, word] of args.entries()) {
    if (NAMED_PACKAGE.has(word)) return args[index + 1];
    const [, inline] = /^--package=(.+)$/.exec(word) ?? [];
    if (inline !== undefined) return inline;
  }
  return args.find((word) => !word.startsWith('-') && !SUBCOMMANDS.has(word));
}
