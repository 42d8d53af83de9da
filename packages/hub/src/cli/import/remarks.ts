/** What a person should know of a server before it is theirs. No value of a secret is in it. */
import { hideClearSecrets, shownTarget } from '../../config/secrets.ts';
import { hideSecrets } from '../../core/redact/redact-secrets.ts';
import { shellWord } from '../../lib/text.ts';
import type { KeptSecret } from './keep-secrets.ts';
import type { Origin, PlannedServer } from './plan.ts';

export interface RemarkOptions {
  readonly isWritten: boolean;
  readonly shorten: (path: string) => string;
}

/** Word by word, and all of it: what is run is what is seen. */
export function shownLaunch({ config }: PlannedServer): string {
  const { command, args = [] } = config;
  if (command === undefined) return shownTarget({ ...config });
  const hidden = hideClearSecrets(args, 'args') as string[];
  const words = args.map((word, index) => (SCRIPT.test(word) ? hideSecrets(word) : hidden[index]!));
  return [command, ...words].map(shellWord).join(' ');
}

/** More than a word: a shell could run it, and what is called a secret in it may be something else. */
const SCRIPT = /[\s;&|<>()`]/;

export function remarksOf(server: PlannedServer, options: RemarkOptions): string[] {
  const { origin, kept, missing, signIn, notes } = server;
  const project = forProject(origin, options);
  return [
    ...(project === '' ? [] : [project.trim()]),
    ...heldBack(server, options),
    ...variables(server),
    ...sent(server),
    ...kept.map((secret) => inVault(secret, options)),
    ...missing.secrets.map(
      ({ secret, where }) => `switched off until it has ${where}: pincer secret set ${secret}`,
    ),
    ...missing.variables.map((name) => `switched off until ${name} is set in the environment of the hub`),
    ...(signIn === 'needed' ? ['needs a sign-in of its own'] : []),
    ...(signIn === 'maybe' ? ['may need a sign-in'] : []),
    ...notes,
  ];
}

/** Where the project is not that of the file. */
export function forProject({ file, project }: Origin, { shorten }: Pick<RemarkOptions, 'shorten'>): string {
  if (project === undefined || file.startsWith(project)) return '';
  const folder = shorten(project);
  return ` (for ${folder === '.' ? 'this folder' : folder})`;
}

function heldBack({ name, origin, isHeldBack }: PlannedServer, { isWritten }: RemarkOptions): string[] {
  if (!isHeldBack) return [];
  const why = origin.project === undefined ? 'the file is not one of your own' : 'it belongs to a project';
  const is = isWritten ? 'switched off' : 'comes switched off';
  return [`${is}, since ${why}. To use it: pincer set ${name} enabled true`];
}

function inVault({ secret, path, value }: KeptSecret, { isWritten }: RemarkOptions): string {
  const text = `the secret in ${path} ${isWritten ? 'is in' : 'goes into'} the vault, as ${secret}`;
  const isScript = path.startsWith('args') && SCRIPT.test(value);
  return isScript ? `${text}; it is more than a word: ${shellWord(hideSecrets(value))}` : text;
}

function variables({ config: { env } }: PlannedServer): string[] {
  if (env === undefined) return [];
  const shown = hideClearSecrets(env, 'env') as Record<string, string>;
  const words = Object.entries(shown).map(([name, value]) => shellWord(`${name}=${value}`));
  return [`with the variables ${words.join(' ')}`];
}

/** `gets $KEY (headers.X-Key), the secret TOKEN (apiKey)`. What stands in the file itself is told below. */
function sent({ sends, kept }: PlannedServer): string[] {
  const parts = sends
    .filter(({ kind, name }) => kind === 'variable' || !kept.some(({ secret }) => secret === name))
    .map(({ kind, name, path }) => `${kind === 'variable' ? `$${name}` : `the secret ${name}`} (${path})`);
  return parts.length === 0 ? [] : [`gets ${parts.join(', ')}`];
}
