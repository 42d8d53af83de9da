import type { Fix } from '../fix.ts';
import type { Accuracy } from '../arguments.ts';

export interface Ask {
  readonly accuracy: Accuracy;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Who may know where this machine is. */
export interface LocationBackend {
  /** For people. */
  readonly name: string;
  /** Rejects with a LocationProblem. */
  locate(ask: Ask): Promise<Fix>;
}
