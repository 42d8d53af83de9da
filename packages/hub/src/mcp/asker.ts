import type { Caller } from '../core/caller.ts';
import type { View } from '../core/catalog/catalog.ts';
import type { Era } from '../core/protocol.ts';

/** On what an answer from the catalog depends. */
export interface Asker {
  readonly caller: Caller;
  readonly view: View;
  readonly era: Era;
}
