/**
 * How an entry of `mcp.servers` says that it is ours, and whose: by a header. The host's checks and its own rewriting of the
 * file leave headers alone, and every program that OpenClaw hands its servers to knows what they are.
 */
import { isPart, partAt, type Part } from '../config-part.ts';

/** What of `mcp.servers` was not in the file before our first entry, and goes with our last. */
export type Made = 'mcp' | 'servers' | 'nothing';

export interface Mark {
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

/** Undefined: somebody else's entry. */
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

/** What an entry that is written now would have to be the first of. */
export function madeIn(config: Part): Made {
  const mcp = config['mcp'];
  if (!isPart(mcp)) return 'mcp';
  return isPart(mcp['servers']) ? 'nothing' : 'servers';
}
