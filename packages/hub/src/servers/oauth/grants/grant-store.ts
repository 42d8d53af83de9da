/** Grants in sealed files: found, saved and changed, each by one process at a time. */
import { PincerError } from '../../../core/errors.ts';
import type { GrantFile, GrantFiles } from '../../../core/ports.ts';
import type { Grant, GrantInfo, GrantKey, GrantStore } from '../grant.ts';
import { createHash } from 'node:crypto';

export interface Grants extends GrantStore {
  /** Whether there is a record, of this caller or of anyone. Opens none. */
  has(server: string, caller?: string): boolean;
  /** One of a server that is fit to be used, whoever it is of: this sign-in if it is, else the oldest. */
  findAny(
    server: string,
    url: string,
    signInId: string | undefined,
    isFit: (grant: Grant) => boolean,
  ): Promise<Grant | undefined>;
  /**
   * Looks at what is stored now and puts another in its place, alone. What `work` gives is on the disk before this
   * resolves with it; the same grant, or none, changes nothing.
   */
  change(
    key: GrantKey,
    work: (stored: Grant | undefined) => Promise<Grant | undefined>,
  ): Promise<Grant | undefined>;
  /** Stores a grant as it is stored already: rejects where what is about to be spent could not be kept. */
  rewrite(grant: Grant): Promise<void>;
  /** Why records cannot be used, for those that cannot; the lists leave them out. */
  problems(): Promise<readonly PincerError[]>;
  /** Somebody has signed in or out, or something was renewed, in this process or another one. */
  onChange(listener: () => void): () => void;
}

export function createGrants(files: GrantFiles): Grants {
  /** What could not be written: the tokens before it are spent, so it is tried again before anything else. */
  const unsaved = new Map<string, Grant>();
  /** Whoever is in this process hears of what it does at once. */
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of listeners) listener();
  };

  async function open(name: string): Promise<Grant | undefined> {
    const file = await files.read(name);
    if (file === undefined) return undefined;
    const grant = JSON.parse(file.text) as Grant;
    // Sealed it is what it was; in another's place it is not what was asked for.
    if (grantId(grant.key) !== file.id || grantName(grant.key) !== name) throw misplaced(name);
    return grant;
  }

  const tryAll = (prefix: string): Promise<PromiseSettledResult<Grant | undefined>[]> =>
    Promise.allSettled(
      files
        .names()
        .filter((name) => name.startsWith(prefix))
        .map(open),
    );

  const readable = async (prefix: string): Promise<Grant[]> =>
    (await tryAll(prefix)).flatMap((result) => (result.status === 'fulfilled' ? (result.value ?? []) : []));

  const problems = async (prefix: string): Promise<PincerError[]> =>
    (await tryAll(prefix)).flatMap((result) =>
      result.status === 'rejected' ? PincerError.from(result.reason) : [],
    );

  async function write(name: string, grant: Grant): Promise<void> {
    unsaved.set(name, grant);
    await files.write(name, fileOf(grant));
    unsaved.delete(name);
    tell();
  }

  /** Alone: a renewal under way would write it again. */
  async function remove(isMeant: (name: string) => boolean): Promise<void> {
    for (const name of files.names().filter(isMeant))
      await files.alone(name, async () => {
        unsaved.delete(name);
        files.remove(name);
        tell();
      });
  }

  const change: Grants['change'] = (key, work) => {
    const name = grantName(key);
    return files.alone(name, async () => {
      const late = unsaved.get(name);
      if (late !== undefined) await write(name, late);
      const stored = late ?? (await open(name));
      const next = await work(stored);
      if (next !== undefined && next !== stored) await write(name, next);
      return next;
    });
  };

  return {
    change,
    rewrite: (grant) => files.write(grantName(grant.key), fileOf(grant)),
    has: (server, caller) => {
      const prefix = caller === undefined ? serverPart(server) : callerPart(server, caller);
      return files.names().some((name) => name.startsWith(prefix));
    },
    async find(server, caller, url) {
      const prefix = callerPart(server, caller);
      const found = (await readable(prefix))
        .filter(({ key }) => key.server === server && key.caller === caller)
        .filter(({ key }) => url === undefined || resourceFits(key.resource, url))
        .sort((a, b) => b.obtainedAt - a.obtainedAt)[0];
      const [problem] = found === undefined ? await problems(prefix) : [];
      if (problem !== undefined) throw problem;
      return found;
    },
    async findAny(server, url, signInId, isFit) {
      const all = (await readable(serverPart(server))).filter(
        (grant) => grant.key.server === server && resourceFits(grant.key.resource, url) && isFit(grant),
      );
      return (
        all.find((grant) => grant.signInId === signInId) ?? all.sort((a, b) => a.obtainedAt - b.obtainedAt)[0]
      );
    },
    async save(grant) {
      const name = grantName(grant.key);
      // Whatever is there, readable or not, is replaced.
      await files.alone(name, () => write(name, grant));
      // Whoever signs in elsewhere is not signed in there any more; only now, since until here there was nothing else.
      const own = callerPart(grant.key.server, grant.key.caller);
      await remove((each) => each !== name && each.startsWith(own));
    },
    remove: (server, caller) => remove((name) => name.startsWith(callerPart(server, caller))),
    forgetCaller: (caller) => remove((name) => isOfCaller(name, caller)),
    list: async () => (await readable('')).map(describe),
    problems: () => problems(''),
    onChange(listener) {
      const unwatch = files.watch(listener);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        unwatch();
      };
    },
  };
}

const fileOf = (grant: Grant): GrantFile => ({ id: grantId(grant.key), text: JSON.stringify(grant) });

const describe = ({ key, refused }: Grant): GrantInfo => ({
  key,
  ...(refused !== undefined && { refused }),
});

const misplaced = (name: string): PincerError =>
  new PincerError(
    'VAULT_UNREADABLE',
    `The sign-in in tokens/${name}.json belongs to another server or caller.`,
    {
      hint: 'Remove the file and sign in again: `pincer login NAME`.',
    },
  );

/**
 * Whether a token for a resource may go to an address. Pure. The address is the resource itself, or below it (RFC
 * 8707, RFC 9728 §3.3): what was signed in to at one place is never shown at another, though the server has kept
 * its name.
 */
function resourceFits(resource: string, address: string): boolean {
  const [wide, narrow] = [URL.parse(resource), URL.parse(address)];
  if (wide === null || narrow === null || wide.origin !== narrow.origin) return false;
  return withSlash(narrow.pathname).startsWith(withSlash(wide.pathname));
}

const withSlash = (path: string): string => (path.endsWith('/') ? path : `${path}/`);

const digest = (value: unknown, length: number): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, length);

const PART = 10;

/**
 * What the record of a grant is called: digests, so that neither a server nor a caller can name a path. Pure.
 * Names of all grants of a server begin so.
 */
const serverPart = (server: string): string => digest(server, PART);

/** And those of one caller so. */
const callerPart = (server: string, caller: string): string => serverPart(server) + digest(caller, PART);

/** Whichever server it is for. */
const isOfCaller = (name: string, caller: string): boolean => name.startsWith(digest(caller, PART), PART);

const grantName = ({ server, issuer, resource, caller }: GrantKey): string =>
  callerPart(server, caller) + digest([issuer, resource], 12);

/** What the record is sealed as: all of its identity. */
const grantId = ({ server, issuer, resource, caller }: GrantKey): string =>
  JSON.stringify([server, issuer, resource, caller]);
