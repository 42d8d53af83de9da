/** Writes the exec policy that a person would have written before the hub starts. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Runs everything without an approval. */
const RUN_ALL = { version: 1, defaults: { security: 'full', ask: 'off', askFallback: 'full' } };

export function allowPrograms(home: string, policy: object = RUN_ALL): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, 'exec-approvals.json'), JSON.stringify(policy), { mode: 0o600 });
}

/** Tests do not use the machine's capabilities unless they set this. */
export const USES_DEVICE = { PINCER_DEVICE: 'on' };
