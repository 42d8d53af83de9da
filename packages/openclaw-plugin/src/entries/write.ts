/** Writes entries into the host's file, and only where something has to change. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostConfigFile } from '../host.ts';
import type { Owner, Wanted } from './entry.ts';
import { applyPlan, planEntries, type Plan } from './plan.ts';

/** Somebody else has written meanwhile. In the second case our change may be in the file or may not. */
const OTHERS_WROTE: ReadonlySet<string> = new Set([
  'ConfigMutationConflictError',
  'ConfigWritePostCommitError',
]);
const MAX_TRIES = 5;
const RETRY_MS = 200;

export interface Writing {
  readonly owner: Owner;
  /** The file may have something else, though what is in force does not: it may be older. */
  readonly isNews?: boolean;
}

export async function writeEntries(
  config: HostConfigFile,
  wanted: readonly Wanted[],
  { owner, isNews = false }: Writing,
): Promise<Plan> {
  const plan = planEntries(config.current(), wanted, owner);
  if (plan.changes.size === 0 && !isNews) return plan;
  for (let tries = 1; ; tries++)
    try {
      return await writeOnce(config, wanted, owner);
    } catch (error) {
      if (tries === MAX_TRIES || !(error instanceof Error) || !OTHERS_WROTE.has(error.name)) throw error;
      await sleep(RETRY_MS * tries);
    }
}

/** What is in force may be older than the file, so it is the file that the plan is made for. */
async function writeOnce(config: HostConfigFile, wanted: readonly Wanted[], owner: Owner): Promise<Plan> {
  let plan: Plan | undefined;
  const change = {
    afterWrite: { mode: 'auto' },
    mutate(draft: Record<string, unknown>) {
      plan = planEntries(draft, wanted, owner);
      // The host writes its file even where nothing has changed. An error is how it is told not to.
      if (plan.changes.size === 0) throw new Error('Nothing to write.');
      applyPlan(draft, plan);
    },
  } as const;
  try {
    await config.mutateConfigFile(change);
  } catch (error) {
    if (plan?.changes.size !== 0) throw error;
  }
  return plan!;
}
