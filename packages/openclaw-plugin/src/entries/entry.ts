/** One entry of `mcp.servers`: how it is written, how it is read again, and the header that marks it as ours. */
import { mcpServersIn, partAt, type Part, isPart } from '../host-config.ts';

/** The target of an entry. */
export interface Wanted {
  readonly server: string;
  /** The prefix of its tool names, before `__`. */
  readonly prefix: string;
  /** The hub's `/mcp/<server>`. */
  readonly url: string;
  readonly requestTimeoutMs: number;
  /** Absent if each sender has their own (per-caller.ts). */
  readonly token?: string | undefined;
}

export interface OwnEntry {
  /** The prefix of its tool names in OpenClaw, before `__`. */
  readonly key: string;
  readonly server: string;
  readonly url: string;
  readonly token: string | undefined;
  readonly made: Made;
  readonly isPerCaller: boolean;
  readonly value: Part;
}

export interface Owner {
  readonly home: string;
  /** Whether the state folder of a mark is missing, for example because its profile was moved. Such entries are adopted. */
  isGone(home: string): boolean;
}

/** Sets URL, timeout and credential. Keeps everything else that a person added to the entry. */
export function entryFor(wanted: Wanted, mark: Omit<Mark, 'isPerCaller'>, present: Part = {}): Part {
  const { url, requestTimeoutMs, token } = wanted;
  const { Authorization: _, ...headers } = partAt(present, 'headers') ?? {};
  return {
    ...present,
    url,
    transport: 'streamable-http',
    requestTimeoutMs,
    headers: {
      ...headers,
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...markHeader({ ...mark, isPerCaller: token === undefined }),
    },
  };
}

/** The smallest entry that still has our mark; undefined for an entry that is not ours. */
export function stubOf(value: unknown): Part | undefined {
  const mark = readMark(value);
  if (mark === undefined) return undefined;
  return { url: 'http://127.0.0.1:9/', headers: markHeader(mark) };
}

export function ownEntriesIn(config: Part, { home, isGone }: Owner): OwnEntry[] {
  const servers = mcpServersIn(config);
  return Object.entries(servers).flatMap(([key, value]) => {
    const mark = readMark(value);
    if (mark === undefined || (mark.home !== home && !isGone(mark.home))) return [];
    const { made, isPerCaller } = mark;
    return { key, made, isPerCaller, ...readEntry(value as Part) };
  });
}

function readEntry(value: Part): Pick<OwnEntry, 'server' | 'url' | 'token' | 'value'> {
  const url = String(value['url']);
  const authorization = partAt(value, 'headers')?.['Authorization'];
  const token = /^Bearer (.+)$/.exec(String(authorization))?.[1];
  return { server: serverOf(url), url, token, value };
}

/** Empty if the URL was changed to something else. */
function serverOf(url: string): string {
  try {
    return decodeURIComponent(new URL(url).pathname.split('/')[2] ?? '');
  } catch {
    return '';
  }
}

/** Which part of `mcp.servers` our first entry created, to be removed with the last one. */
export type Made = 'mcp' | 'servers' | 'nothing';

/** Marks an entry as ours. It is a header, because the host keeps headers when it checks and rewrites the file. */
interface Mark {
  /** The state folder of the hub that the entry leads to. */
  readonly home: string;
  readonly made: Made;
  /** Each sender has a credential of their own, which is not in the file. */
  readonly isPerCaller: boolean;
}

const HEADER = 'x-pincer-managed';
const PER_CALLER = 'per-caller';
const MADE = { mcp: 'made=mcp', servers: 'made=servers', nothing: '' } as const;

export const markHeader = ({ home, made, isPerCaller }: Mark): Record<string, string> => ({
  [HEADER]: [encodeURIComponent(home), MADE[made], isPerCaller ? PER_CALLER : '']
    .filter((text) => text !== '')
    .join(';'),
});

/** Returns undefined if the entry is not ours. */
export function readMark(entry: unknown): Mark | undefined {
  const text = partAt(entry, 'headers')?.[HEADER];
  if (typeof text !== 'string') return undefined;
  const [home = '', ...facts] = text.split(';');
  const made = (['mcp', 'servers'] as const).find((each) => facts.includes(MADE[each])) ?? 'nothing';
  try {
    return { home: decodeURIComponent(home), made, isPerCaller: facts.includes(PER_CALLER) };
  } catch {
    return undefined;
  }
}

/** What our first entry would create in this configuration. */
export function madeIn(config: Part): Made {
  const mcp = config['mcp'];
  if (!isPart(mcp)) return 'mcp';
  return isPart(mcp['servers']) ? 'nothing' : 'servers';
}
