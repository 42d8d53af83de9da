/** Does what a plan says: secrets into the vault first, then all servers into config.json, in one write. */
import { editConfigText } from '../../config/edit.ts';
import { readConfigText } from '../../config/read-file.ts';
import { configPath, prepareStateFolder, writeFileAtomically } from '../../owner/state-folder.ts';
import type { Vault } from '../../owner/vault.ts';
import type { PlannedServer } from './plan.ts';

export function writePlan(add: readonly PlannedServer[], home: string, vault: Vault): void {
  if (add.length === 0) return;
  prepareStateFolder(home);
  const path = configPath(home);
  const changes = add.map(({ name, config }) => ({ path: ['servers', name], value: config }));
  // Before the vault is touched: a file that cannot be edited leaves everything as it was.
  editConfigText(readConfigText(path), changes, path);
  for (const { secret, value } of add.flatMap(({ kept }) => kept)) vault.set(secret, value);
  writeFileAtomically(path, editConfigText(readConfigText(path), changes, path));
}
