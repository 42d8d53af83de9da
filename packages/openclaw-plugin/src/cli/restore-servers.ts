/** Gives a person their servers back as entries of OpenClaw's own: `openclaw pincer eject --restore-servers`. */
import { isDeepStrictEqual } from 'node:util';
import { mcpServersIn, partAt, type Part } from '../config-part.ts';
import { readMark } from '../entries/mark.ts';

/** What `pincer openclaw servers --json` answers. */
export interface OpenClawServers {
  /** Entries of `mcp.servers`, by key. */
  readonly servers: Readonly<Record<string, Part>>;
  /** Servers that have no entry here. */
  readonly leftOut: readonly Remark[];
  /** What an entry has lost on the way. */
  readonly notes: readonly Remark[];
  /** Settings that hold a secret of the vault in clear text. */
  readonly clear: readonly Remark[];
}

interface Remark {
  readonly name: string;
  readonly text: string;
}

/** Writes entries into a draft, over our own and never over a person's. Returns the keys that a person has for something else. */
export function putBack(draft: Record<string, unknown>, { servers }: OpenClawServers): string[] {
  const present = mcpServersIn(draft);
  const isFree = (key: string): boolean =>
    !Object.hasOwn(present, key) || readMark(present[key]) !== undefined;
  const all = Object.entries(servers);
  const added = all.filter(([key]) => isFree(key));
  if (added.length > 0)
    draft['mcp'] = { ...partAt(draft, 'mcp'), servers: { ...present, ...Object.fromEntries(added) } };
  return all.flatMap(([key, entry]) => (isFree(key) || isDeepStrictEqual(present[key], entry) ? [] : key));
}

export function renderRestored(given: OpenClawServers, occupied: ReadonlySet<string>): string {
  const written = Object.keys(given.servers).filter((key) => !occupied.has(key));
  const lines = [
    written.length === 0
      ? 'No server was written to mcp.servers.'
      : `Written to mcp.servers, as OpenClaw's own: ${written.join(', ')}.`,
    ...[...occupied].map((key) => `${key}: left alone, because mcp.servers has an entry ${key} of yours.`),
    ...given.leftOut.map(({ name, text }) => `${name}: left out, ${text}`),
    ...given.clear.map(({ name, text }) => `${name}: ${text} is in clear text in openclaw.json now.`),
    ...given.notes.map(({ name, text }) => `${name}: ${text}`),
  ];
  return `${lines.join('\n')}\n`;
}
