/** Carries out an import plan: writes secrets to the vault, then all servers to config.json in one write. */
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
  // A trial edit first: if the file cannot be edited, nothing may change in the vault either.
  editConfigText(readConfigText(path), changes, path);
  for (const { secret, value } of add.flatMap(({ kept }) => kept)) vault.set(secret, value);
  writeFileAtomically(path, editConfigText(readConfigText(path), changes, path));
}
