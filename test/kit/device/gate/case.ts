import type { Endpoint } from '../raw-request.ts';

/** A request of a stranger, a web page or a confused program. It contains a call that must not run. */
export interface GateCase {
  name: string;
  /** Allowed statuses; 0 means that the connection ends without an answer. */
  status: readonly number[];
  /** `call` is the body of a call that would leave a mark. */
  text(endpoint: Endpoint, call: string): string;
  /** The request is incomplete, so the test closes the connection after a while. */
  isHalf?: true;
  /** Applies only if the listener accepts no origin at all, not even its own. */
  isOwnOrigin?: true;
}

/** Node itself may refuse bytes that are not HTTP. */
export const NO_HTTP = [400, 0] as const;
