/**
 * Under which key each server stands in `mcp.servers`. The host makes the names of tools from it: at most 30 of
 * [A-Za-z0-9_-], beginning with a letter, no two that differ in case alone. Other keys it would change itself.
 */
import { createHash } from 'node:crypto';

const MAX_KEY = 30;
const OTHER = '-pincer';
const HASH = 8;

export interface Named {
  readonly server: string;
  readonly prefix: string;
}

/** By server, in the order of the servers. The same for the same servers and the same keys of others. */
export function chooseKeys(servers: readonly Named[], ofOthers: Iterable<string>): Map<string, string> {
  const taken = new Set([...ofOthers].map((key) => inHost(key).toLowerCase()));
  return new Map(
    servers.map((named) => {
      const key = firstFree(named, taken);
      taken.add(key.toLowerCase());
      return [named.server, key];
    }),
  );
}

/** Rules find the end of a key by the first `__` of a tool's name, so that it has none of its own there. */
export const plainKey = ({ server, prefix }: Named): string =>
  inHost(prefix === '' ? server : prefix).replace(/_+$/, '');

function firstFree(named: Named, taken: ReadonlySet<string>): string {
  const plain = plainKey(named);
  let key = plain;
  for (let tries = 0; taken.has(key.toLowerCase()); tries++)
    key = cut(plain, tries === 0 ? OTHER : `-${hash(`${named.server} ${tries}`)}`);
  return key;
}

/** What the host makes of a key, whoever's it is. Where two become the same, it puts a number behind one of them. */
function inHost(key: string): string {
  const safe = key.trim().replaceAll(/[^A-Za-z0-9_-]/g, '-') || 'mcp';
  return cut(/^[A-Za-z]/.test(safe) ? safe : `mcp-${safe}`, '');
}

const cut = (key: string, end: string): string => key.slice(0, MAX_KEY - end.length) + end;

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, HASH);
