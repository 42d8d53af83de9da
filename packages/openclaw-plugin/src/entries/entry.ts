/** One entry of `mcp.servers`, as we write it and as we read it again. */
import { markHeader, readMark, type Made, type Mark } from './mark.ts';
import { mcpServersIn, partAt, type Part } from '../config-part.ts';

/** What an entry is to lead to. */
export interface Wanted {
  readonly server: string;
  /** What the names of its tools begin with, before `__`. */
  readonly prefix: string;
  /** The hub's `/mcp/<server>`. */
  readonly url: string;
  readonly requestTimeoutMs: number;
  /** Absent: each sender has one of their own (per-caller.ts). */
  readonly token?: string | undefined;
}

export interface OwnEntry {
  /** What the names of its tools begin with in OpenClaw, before `__`. */
  readonly key: string;
  readonly server: string;
  readonly url: string;
  readonly token: string | undefined;
  readonly made: Made;
  readonly isPerCaller: boolean;
  readonly value: Part;
}

/** Whose entries are meant. */
export interface Owner {
  readonly home: string;
  /** The state folder of a mark is not there: a profile that has moved. Its entries lead nowhere. */
  isGone(home: string): boolean;
}

/** Address, deadline and credential are ours. All else that a person has added to the entry stays. */
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

/** The least that still says whose an entry is; undefined for an entry of somebody else. */
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

/** Empty where somebody has written something else over it. */
function serverOf(url: string): string {
  try {
    return decodeURIComponent(new URL(url).pathname.split('/')[2] ?? '');
  } catch {
    return '';
  }
}
