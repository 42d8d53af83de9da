/** Plans an import before anything is written. Does no I/O. */
import { isDeepStrictEqual } from 'node:util';
import type { Environment } from '../../lib/process.ts';
import type { FoundServer, Need, ServerDraft } from '../../config/import/types.ts';
import { referencesIn, type ReferenceUse } from '../../config/references.ts';
import type { Gathered, Problem, ReadFile } from './gather.ts';
import { keepSecrets, type KeptSecret, type NameSecret } from './keep-secrets.ts';
import { isOwnEntry, type Self } from '../clients/here.ts';
import { isLoopbackHost } from '../../lib/loopback.ts';
import { RESERVED_NAMES } from '../../config/common-rules.ts';
import { isPrefix, MAX_PREFIX } from '../../core/catalog/tool-name.ts';
import { secretNameOf } from '../../config/secrets.ts';

export interface Origin {
  readonly client: ReadFile['client'];
  readonly file: string;
  readonly project: string | undefined;
  /** From the person's own file and not for one project. Any other file may be written by someone else. */
  readonly isOwn: boolean;
  /** The server's name in the client. */
  readonly name: string;
}

export interface PlannedServer {
  readonly name: string;
  readonly origin: Origin;
  /** The entry for config.json, without secrets. */
  readonly config: ServerDraft & { readonly enabled?: false };
  readonly kept: readonly KeptSecret[];
  /** Variables and secrets that it would get, and where. */
  readonly sends: readonly ReferenceUse[];
  /** Switched off because it is not from the person's own file and was not enabled by name. */
  readonly isHeldBack: boolean;
  /** Unset variables and secrets that it refers to. It is switched off until they are set. */
  readonly missing: { readonly variables: readonly string[]; readonly secrets: readonly Need[] };
  readonly signIn: SignIn;
  readonly notes: readonly string[];
}

interface Skipped {
  readonly origin: Origin;
  /** A clause that completes "left out: …". */
  readonly reason: string;
  readonly kind: 'shadowed' | 'left-out';
}

export interface Plan {
  readonly add: readonly PlannedServer[];
  readonly skipped: readonly Skipped[];
  readonly problems: readonly Problem[];
  /** The files in order of precedence. */
  readonly order: readonly string[];
}

export interface Surroundings {
  /** Names in config.json. */
  readonly configured: readonly string[];
  readonly env: Environment;
  readonly self: Self;
  readonly nameSecret: NameSecret;
  readonly freshSecret: FreshSecret;
  /** Whether the person enabled this server although it is not from their own file. */
  readonly isEnabled: (name: string) => boolean;
  /** Returns why the configuration would refuse the server, or undefined. */
  readonly check: (name: string, config: ServerDraft) => string | undefined;
}

export function planImport({ files, problems, order }: Gathered, surroundings: Surroundings): Plan {
  const { configured, self } = surroundings;
  const add: PlannedServer[] = [];
  const skipped: Skipped[] = [];
  const winners = new Map<string, { origin: Origin; draft: ServerDraft }>();
  const names = new Set(configured);
  for (const { client, file, isOwn, reading } of files) {
    const originOf = (name: string, project: string | undefined): Origin => ({
      client,
      file,
      project,
      isOwn: isOwn && project === undefined,
      name,
    });
    for (const { name, project, reason } of reading.leftOut)
      skipped.push({ origin: originOf(name, project), reason, kind: 'left-out' });
    for (const found of reading.found) {
      const origin = originOf(found.name, found.project);
      const winner = winners.get(found.name);
      const skip = (reason: string, kind: Skipped['kind'] = 'shadowed'): void =>
        void skipped.push({ origin, reason, kind });
      if (isOwnEntry(found.draft, self)) skip('it is Pincer itself.', 'left-out');
      else if (configured.includes(validName(found.name, () => false)))
        skip('a server of that name is already configured.');
      else if (winner !== undefined) skip(shadowedBy(winner, found, origin));
      else {
        const planned = planServer(found, origin, names, surroundings);
        if (typeof planned === 'string') skip(planned, 'left-out');
        else {
          winners.set(found.name, { origin, draft: found.draft });
          names.add(planned.name);
          add.push(planned);
        }
      }
    }
  }
  return { add, skipped, problems, order };
}

// oxlint-disable-next-line max-params -- one server, where it is from, and what is around it
function planServer(
  found: FoundServer,
  origin: Origin,
  names: ReadonlySet<string>,
  { env, nameSecret, freshSecret, isEnabled, check }: Surroundings,
): PlannedServer | string {
  const name = validName(found.name, (each) => names.has(each));
  const { draft: needing, needs } = freshNeeds(name, found, freshSecret);
  const { draft, kept } = keepSecrets(name, needing, nameSecret);
  const config = tidyReferences(draft);
  const refusal = check(name, config);
  if (refusal !== undefined) return refusal;
  const uses = referencesIn(config);
  const given = new Set([...needs, ...kept].map(({ secret }) => secret));
  if (uses.some((use) => use.kind === 'secret' && !given.has(use.name)))
    return "it refers to a secret of Pincer's vault, which another program's file may not do.";
  const variables = new Set(uses.filter(({ kind }) => kind === 'variable').map((use) => use.name));
  const missing = {
    variables: [...variables].filter((each) => (env[each] ?? '') === ''),
    secrets: needs,
  };
  const isComplete = missing.variables.length === 0 && missing.secrets.length === 0;
  const isHeldBack = !origin.isOwn && !isEnabled(name);
  return {
    name,
    origin,
    config: isComplete && !isHeldBack ? config : { enabled: false, ...config },
    kept,
    sends: uses,
    isHeldBack,
    missing,
    signIn: signInOf(config, found.signsIn),
    notes: name === found.name ? found.notes : [`Its name there is "${found.name}".`, ...found.notes],
  };
}

/** Says which server of the same name has precedence, and why. */
function shadowedBy(
  winner: { origin: Origin; draft: ServerDraft },
  { draft }: FoundServer,
  { client }: Origin,
): string {
  const { origin } = winner;
  const isSame = isDeepStrictEqual(winner.draft, draft);
  if (isSame) return `it is the same as in ${origin.client.title}.`;
  const { title } = origin.client;
  const source =
    origin.client.id !== client.id
      ? `${title}, which has precedence over ${client.title}`
      : origin.project === undefined
        ? `your own file of ${title}, which has precedence over other projects`
        : `a project in ${title}, which has precedence`;
  return `another server of that name comes from ${source}.`;
}

/** Writes a string that is only a reference as `$NAME`, as a person would. */
function tidyReferences<T>(value: T): T {
  if (typeof value === 'string') return value.replace(/^\$\{((?:secret:)?\w+)\}$/, '$$$1') as T;
  if (Array.isArray(value)) return value.map((item) => tidyReferences(item as unknown)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, tidyReferences(item)])) as T;
}

/** `needed`: the client signs in to it. `maybe`: a remote server without any credential. */
type SignIn = 'needed' | 'maybe' | 'no';

/** Sign-ins of other clients are not imported. */
function signInOf({ url, apiKey, headers = {} }: ServerDraft, signsIn: boolean): SignIn {
  if (url === undefined) return 'no';
  if (signsIn) return 'needed';
  const isLocal = isLoopbackHost(URL.parse(url)?.hostname ?? '');
  const isKnown = apiKey !== undefined || Object.keys(headers).length > 0 || url.includes('${secret:');
  return isLocal || isKnown ? 'no' : 'maybe';
}

/** Returns a valid server name that is not taken and as close to the wanted one as possible. */
export function validName(wanted: string, isTaken: (name: string) => boolean): string {
  const cleaned = wanted
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036F]/g, '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replaceAll(/_{2,}/g, '_')
    .replaceAll(/^[^A-Za-z0-9]+|[_-]+$/g, '');
  const base = cleaned === '' ? 'server' : RESERVED_NAMES.has(cleaned) ? `${cleaned}-server` : cleaned;
  for (let count = 1; ; count++) {
    const suffix = count === 1 ? '' : `-${count}`;
    const name = base.slice(0, MAX_PREFIX - suffix.length).replace(/[_-]+$/, '') + suffix;
    if (isPrefix(name) && !isTaken(name)) return name;
  }
}

/** Needed secrets get unused names, so that an imported server never gets an existing secret of the vault. */
interface Needing {
  readonly draft: ServerDraft;
  readonly needs: readonly Need[];
}

/** Returns a name that is unused in the vault, in the configuration and in this import. */
export type FreshSecret = (wanted: string) => string;

function freshNeeds(server: string, { draft, needs }: Needing, freshSecret: FreshSecret): Needing {
  if (needs.length === 0) return { draft, needs };
  const names = new Map(
    needs.map(({ secret }) => [secret, freshSecret(secretNameOf(server, secret))] as const),
  );
  return {
    draft: renamed(draft, names),
    needs: needs.map(({ secret, where }) => ({ secret: names.get(secret)!, where })),
  };
}

function renamed<T>(value: T, names: ReadonlyMap<string, string>): T {
  if (typeof value === 'string')
    // `$$` is an escaped dollar sign, not the start of a reference.
    return value.replaceAll(/\$\$|\$\{secret:(\w+)\}/g, (all: string, name?: string) =>
      name === undefined ? all : `\${secret:${names.get(name) ?? name}}`,
    ) as T;
  if (Array.isArray(value)) return value.map((item) => renamed(item as unknown, names)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renamed(item, names)])) as T;
}
