/** What a person should know about a server before importing it. Contains no secret values. */
import { hideClearSecrets, shownTarget } from '../../config/secrets.ts';
import { hideSecrets } from '../../core/redact/redact-secrets.ts';
import { shellWord } from '../../lib/text.ts';
import type { KeptSecret } from './keep-secrets.ts';
import type { Origin, PlannedServer } from './plan.ts';

export interface RemarkOptions {
  readonly isWritten: boolean;
  readonly shorten: (path: string) => string;
}

/** Shows the whole command, so that the person sees exactly what would run. */
export function shownLaunch({ config }: PlannedServer): string {
  const { command, args = [] } = config;
  if (command === undefined) return shownTarget({ ...config });
  const hidden = hideClearSecrets(args, 'args') as string[];
  const words = args.map((word, index) => (SCRIPT.test(word) ? hideSecrets(word) : hidden[index]!));
  return [command, ...words].map(shellWord).join(' ');
}

/** Text that a shell could run. It is shown even if its setting has a secret's name, because it may be a command. */
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
      ({ secret, where }) => `switched off until you save ${where}: pincer secret set ${secret}`,
    ),
    ...missing.variables.map((name) => `switched off until ${name} is set in the environment of the hub`),
    ...(signIn === 'needed' ? [`needs a sign-in: pincer login ${server.name}`] : []),
    ...(signIn === 'maybe' ? [`may need a sign-in: pincer login ${server.name}`] : []),
    ...notes,
  ];
}

/** Names the project if the file is not inside it. */
export function forProject({ file, project }: Origin, { shorten }: Pick<RemarkOptions, 'shorten'>): string {
  if (project === undefined || file.startsWith(project)) return '';
  const folder = shorten(project);
  return ` (for ${folder === '.' ? 'this folder' : folder})`;
}

function heldBack({ name, origin, isHeldBack }: PlannedServer, { isWritten }: RemarkOptions): string[] {
  if (!isHeldBack) return [];
  const why = origin.project === undefined ? 'the file is not your own' : 'it belongs to a project';
  const is = isWritten ? 'switched off' : 'will be switched off';
  return [`${is}, because ${why}. To use it: pincer set ${name} enabled true`];
}

function inVault({ secret, path, value }: KeptSecret, { isWritten }: RemarkOptions): string {
  const text = `the secret in ${path} ${isWritten ? 'is in' : 'goes into'} the vault, as ${secret}`;
  const isScript = path.startsWith('args') && SCRIPT.test(value);
  return isScript ? `${text}; it could contain a command: ${shellWord(hideSecrets(value))}` : text;
}

function variables({ config: { env } }: PlannedServer): string[] {
  if (env === undefined) return [];
  const shown = hideClearSecrets(env, 'env') as Record<string, string>;
  const words = Object.entries(shown).map(([name, value]) => shellWord(`${name}=${value}`));
  return [`environment: ${words.join(' ')}`];
}

/** `gets $KEY (headers.X-Key), the secret TOKEN (apiKey)`. Secrets that move to the vault have their own remark. */
function sent({ sends, kept }: PlannedServer): string[] {
  const parts = sends
    .filter(({ kind, name }) => kind === 'variable' || !kept.some(({ secret }) => secret === name))
    .map(({ kind, name, path }) => `${kind === 'variable' ? `$${name}` : `the secret ${name}`} (${path})`);
  return parts.length === 0 ? [] : [`gets ${parts.join(', ')}`];
}
