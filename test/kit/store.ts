/** The real store on a folder. For unit tests. */
import type { Clock } from '../../packages/hub/src/core/ports.ts';
import { writeFileAtomically } from '../../packages/hub/src/owner/state-folder.ts';
import { storeFiles } from '../../packages/hub/src/store/files.ts';
import { openStore, type OpenStore, type StoreOptions } from '../../packages/hub/src/store/sqlite.ts';

export const openTestStore = (folder: string, clock: Clock, options: Partial<StoreOptions> = {}): OpenStore =>
  openStore(storeFiles(folder), clock, { writeFile: writeFileAtomically, ...options });
