/** Grants in sealed files. One process at a time changes a grant. */
import { PincerError } from '../../../core/errors.ts';
import type { GrantFile, GrantFiles } from '../../../core/ports.ts';
import type { Grant, GrantInfo, GrantKey, GrantStore } from '../grant.ts';
import { createHash } from 'node:crypto';

export interface Grants extends GrantStore {
  /** Whether a record exists, of this caller or of any. Does not open it. */
  has(server: string, caller?: string): boolean;
  /** Returns a usable grant of any caller: the one of this sign-in if possible, else the oldest. */
  findAny(
    server: string,
    url: string,
    signInId: string | undefined,
    isUsable: (grant: Grant) => boolean,
  ): Promise<Grant | undefined>;
  /**
   * Replaces a grant under its lock. The result of `work` is on the disk before this resolves with it. If `work` returns
   * the same grant or undefined, nothing changes.
   */
  change(
    key: GrantKey,
    work: (stored: Grant | undefined) => Promise<Grant | undefined>,
  ): Promise<Grant | undefined>;
  /** Writes a stored grant once more: rejects if a successor could not be stored either. */
  rewrite(grant: Grant): Promise<void>;
  /** The errors of unreadable records. Lists leave these records out. */
  problems(): Promise<readonly PincerError[]>;
  /** Reports sign-ins, sign-outs and renewals, in this process or another one. */
  onChange(listener: () => void): () => void;
}

export function createGrants(files: GrantFiles): Grants {
  /** Grants that could not be written. Their predecessors are spent, so they are written before anything else. */
  const unsaved = new Map<string, Grant>();
  /** Listeners in this process are called at once; the watcher would be later. */
  const listeners = new Set<() => void>();
  const notify = (): void => {
    for (const listener of listeners) listener();
  };

  async function open(name: string): Promise<Grant | undefined> {
    const file = await files.read(name);
    if (file === undefined) return undefined;
    const grant = JSON.parse(file.text) as Grant;
    // The seal proves the content, not the place: a file may have been copied over another.
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
    notify();
  }

  /** Under the lock: a renewal under way would write it again. */
  async function remove(matches: (name: string) => boolean): Promise<void> {
    for (const name of files.names().filter(matches))
      await files.alone(name, async () => {
        unsaved.delete(name);
        files.remove(name);
        notify();
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
    async findAny(server, url, signInId, isUsable) {
      const all = (await readable(serverPart(server))).filter(
        (grant) => grant.key.server === server && resourceFits(grant.key.resource, url) && isUsable(grant),
      );
      return (
        all.find((grant) => grant.signInId === signInId) ?? all.sort((a, b) => a.obtainedAt - b.obtainedAt)[0]
      );
    },
    async save(grant) {
      const name = grantName(grant.key);
      // Replaces an unreadable record, too.
      await files.alone(name, () => write(name, grant));
      // The caller's grants at other issuers end only now: until here they were the only ones.
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
 * Whether a token for a resource may go to an address: to the resource itself, or below it (RFC 8707, RFC 9728 §3.3). A
 * server that keeps its name and moves does not get the token.
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

/** Names of records consist of digests: neither a server nor a caller can name a path. They begin with the server's. */
const serverPart = (server: string): string => digest(server, PART);

/** The beginning of the names of one caller's records. */
const callerPart = (server: string, caller: string): string => serverPart(server) + digest(caller, PART);

const isOfCaller = (name: string, caller: string): boolean => name.startsWith(digest(caller, PART), PART);

const grantName = ({ server, issuer, resource, caller }: GrantKey): string =>
  callerPart(server, caller) + digest([issuer, resource], 12);

/** The whole identity, to which the seal is bound. */
const grantId = ({ server, issuer, resource, caller }: GrantKey): string =>
  JSON.stringify([server, issuer, resource, caller]);
