/** The result of a run. */
import type { MachineFacts } from '../report/result.ts';
import type { RowRounds } from './calls.ts';
import type { ScaleResult } from './scale.ts';

export interface AppsResult {
  date: string;
  commit: string;
  uncommittedChanges: boolean;
  machine: MachineFacts;
  /** Digest of the hand-written proxy: ratios to a changed floor are not comparable. */
  floorSha256: string;
  relay: string;
  raisedLimits: Record<string, number>;
  calls: RowRounds[];
  scale: ScaleResult[];
}
