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
  const taken = new Set([...ofOthers].map((key) => key.toLowerCase()));
  return new Map(
    servers.map((named) => {
      const key = firstFree(named, taken);
      taken.add(key.toLowerCase());
      return [named.server, key];
    }),
  );
}

export const plainKey = ({ server, prefix }: Named): string => {
  const name = prefix === '' ? server : prefix;
  return cut(/^[A-Za-z]/.test(name) ? name : `mcp-${name}`, '');
};

function firstFree(named: Named, taken: ReadonlySet<string>): string {
  const plain = plainKey(named);
  let key = plain;
  for (let tries = 0; taken.has(key.toLowerCase()); tries++)
    key = cut(plain, tries === 0 ? OTHER : `-${hash(`${named.server} ${tries}`)}`);
  return key;
}

const cut = (key: string, end: string): string => key.slice(0, MAX_KEY - end.length) + end;

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, HASH);
