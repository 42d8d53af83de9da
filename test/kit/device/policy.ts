/** What a person has written down about running programs, before the hub starts. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Runs everything without a question. */
const RUN_ALL = { version: 1, defaults: { security: 'full', ask: 'off', askFallback: 'full' } };

export function allowPrograms(home: string, policy: object = RUN_ALL): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, 'exec-approvals.json'), JSON.stringify(policy), { mode: 0o600 });
}

/** Tests leave the machine alone unless they say this. */
export const USES_DEVICE = { PINCER_DEVICE: 'on' };
