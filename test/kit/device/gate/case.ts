import type { Door } from '../raw-request.ts';

/** What a stranger, a web page or a confused program sends, with a call in it that must not run. */
export interface GateCase {
  name: string;
  /** What it may be answered with; 0: the connection ends without an answer. */
  status: readonly number[];
  /** `call` is the body of a call that would leave a mark. */
  text(door: Door, call: string): string;
  /** The connection is given up after this, as nothing that is complete was sent. */
  isHalf?: true;
  /** Only where the listener knows no origin at all, not even its own. */
  isOwnOrigin?: true;
}

/** Node itself may refuse what is no HTTP. */
export const NO_HTTP = [400, 0] as const;
