/** What a run leaves behind. */
import type { MachineFacts } from '../report/result.ts';
import type { RowRounds } from './calls.ts';
import type { ScaleResult } from './scale.ts';

export interface AppsResult {
  date: string;
  commit: string;
  uncommittedChanges: boolean;
  machine: MachineFacts;
  /** Of the hand-written proxy: a ratio to a changed floor means something else. */
  floorSha256: string;
  relay: string;
  raisedLimits: Record<string, number>;
  calls: RowRounds[];
  scale: ScaleResult[];
}
