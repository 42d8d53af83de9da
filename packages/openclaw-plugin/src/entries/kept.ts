/** The entries that this gateway keeps, for the parts of the plugin that did not start them. */
import { sharedFor } from '../shared.ts';
import type { Reconciled } from './entries.ts';
import type { Clash } from './plan.ts';

export interface KeptEntries {
  clashes(): readonly Clash[];
  /**
   * Brings the entries in step with the hub as it is now, and waits until the host goes by them: then a change is there on the
   * agent's next turn. A repair asks for everything again.
   */
  settle(isRepair: boolean): Promise<Reconciled>;
}

interface Holder {
  kept: KeptEntries | undefined;
}

const holderOf = (home: string): Holder => sharedFor<Holder>('entries', home, () => ({ kept: undefined }));

/** Undefined while no service runs. */
export const keptEntries = (home: string): KeptEntries | undefined => holderOf(home).kept;

/** Returns what ends it. */
export function keepEntries(home: string, kept: KeptEntries): () => void {
  holderOf(home).kept = kept;
  return () => {
    if (holderOf(home).kept === kept) holderOf(home).kept = undefined;
  };
}
