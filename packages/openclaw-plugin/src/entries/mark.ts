/**
 * How an entry of `mcp.servers` says that it is ours, and whose: by a header. The host's checks and its own rewriting of the
 * file leave headers alone, and every program that OpenClaw hands its servers to knows what they are.
 */
import { isPart, partAt, type Part } from './record.ts';

/** What of `mcp.servers` was not in the file before our first entry, and goes with our last. */
export type Made = 'mcp' | 'servers' | 'nothing';

export interface Mark {
  /** The state folder of the hub that the entry leads to. */
  readonly home: string;
  readonly made: Made;
}

const HEADER = 'x-pincer-managed';
const MADE = ';made=';

export const markHeader = ({ home, made }: Mark): Record<string, string> => ({
  [HEADER]: encodeURIComponent(home) + (made === 'nothing' ? '' : MADE + made),
});

/** Undefined: somebody else's entry. */
export function readMark(entry: unknown): Mark | undefined {
  const text = partAt(entry, 'headers')?.[HEADER];
  if (typeof text !== 'string') return undefined;
  const [home = '', made] = text.split(MADE);
  try {
    return { home: decodeURIComponent(home), made: made === 'mcp' || made === 'servers' ? made : 'nothing' };
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
