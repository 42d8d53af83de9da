/** Writes entries into the host's file, only if something changes, and in several stages if much is removed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { mcpServersIn, type Part } from '../host-config.ts';
import type { HostConfigFile } from '../host.ts';
import { stubOf, type Owner, type Wanted } from './entry.ts';
import { applyPlan, planEntries, type Plan } from './plan.ts';

/** Another writer changed the file meanwhile. After a post-commit error, our change may or may not be in the file. */
const OTHERS_WROTE: ReadonlySet<string> = new Set([
  'ConfigMutationConflictError',
  'ConfigWritePostCommitError',
]);
const MAX_TRIES = 5;
const RETRY_MS = 200;

interface Writing {
  readonly owner: Owner;
  /** The file may differ from the configuration in force, so plan on the file in any case. */
  readonly isNews?: boolean;
  /** Checks the file while the host holds its lock. If false, nothing is written. */
  mayWrite?(file: Part): boolean;
  /** Makes other changes in the same write, before the entries. Runs once per stage. */
  prepare?(draft: Record<string, unknown>): void;
}

/** Resolves with the changes. */
export async function writeEntries(
  config: HostConfigFile,
  wanted: readonly Wanted[],
  writing: Writing,
): Promise<Plan> {
  const plan = planEntries(config.current(), wanted, writing.owner);
  if (plan.changes.size === 0 && writing.isNews !== true) return plan;
  const first = await writeStage(config, wanted, writing);
  for (let last = first; !last.isLast;) last = await writeStage(config, wanted, writing);
  return first.whole;
}

interface Written {
  readonly whole: Plan;
  readonly isLast: boolean;
}

async function writeStage(
  config: HostConfigFile,
  wanted: readonly Wanted[],
  writing: Writing,
): Promise<Written> {
  for (let tries = 1; ; tries++)
    try {
      return await writeOnce(config, wanted, writing);
    } catch (error) {
      if (tries === MAX_TRIES || !(error instanceof Error) || !OTHERS_WROTE.has(error.name)) throw error;
      await sleep(RETRY_MS * tries);
    }
}

/** Plans on the file, because the configuration in force may be older. */
async function writeOnce(
  config: HostConfigFile,
  wanted: readonly Wanted[],
  { owner, mayWrite = () => true, prepare }: Writing,
): Promise<Written> {
  let written: Written | undefined;
  let isSame = false;
  const change = {
    afterWrite: { mode: 'auto' },
    // Only our own entries are removed.
    writeOptions: { allowConfigSizeDrop: true },
    mutate(draft: Record<string, unknown>) {
      const before = structuredClone(draft);
      if (mayWrite(draft)) {
        prepare?.(draft);
        const whole = planEntries(draft, wanted, owner);
        const { plan, isLast } = nextStage(draft, whole, sizeOf(before));
        if (plan.changes.size > 0) applyPlan(draft, plan);
        written = { whole, isLast };
      } else written = { whole: NOTHING, isLast: true };
      isSame = isDeepStrictEqual(draft, before);
      // The host writes its file even if nothing has changed, unless `mutate` throws.
      if (isSame) throw new Error('Nothing to write.');
    },
  } as const;
  try {
    await config.mutateConfigFile(change);
  } catch (error) {
    if (!isSame) throw error;
  }
  return written!;
}

const NOTHING: Plan = { changes: new Map(), kept: [], clashes: [], made: 'nothing' };

/**
 * OpenClaw 2026.9.6 treats a file that has lost more than half of its size as damaged: it refuses to write it, and restores
 * its backup when it reads one. So many entries are removed in several writes. The share is above one half, because
 * OpenClaw measures the file and we measure the configuration.
 */
const KEPT_SHARE = 0.6;

interface Stage {
  readonly plan: Plan;
  /** Whether no later write is needed. */
  readonly isLast: boolean;
}

/** `before` is the size of the file that the stage is written over, from `sizeOf`. */
function nextStage(draft: Part, plan: Plan, before: number): Stage {
  const isSafe = (part: Plan): boolean => sizeOf(withPlan(draft, part)) >= KEPT_SHARE * before;
  if (isSafe(plan)) return { plan, isLast: true };
  const removed = [...plan.changes].filter(([, entry]) => entry === undefined).map(([key]) => key);
  // All written entries are in the first stage, so that later stages only remove.
  let stage: Plan = { ...plan, changes: without(plan, removed) };
  const present = mcpServersIn(draft);
  for (const key of removed)
    for (const less of [undefined, stubOf(present[key])]) {
      const next = { ...stage, changes: new Map([...stage.changes, [key, less]]) };
      if (!isSafe(next) || sizeOf(withPlan(draft, next)) === sizeOf(withPlan(draft, stage))) continue;
      stage = next;
      break;
    }
  const isProgress = sizeOf(withPlan(draft, stage)) !== sizeOf(draft);
  // One entry is most of the file and cannot be smaller, so it is removed with `allowConfigSizeDrop`.
  return isProgress ? { plan: stage, isLast: false } : { plan, isLast: true };
}

const sizeOf = (config: Part): number => Buffer.byteLength(JSON.stringify(config, undefined, 2));

const without = ({ changes }: Plan, keys: readonly string[]): Plan['changes'] =>
  new Map([...changes].filter(([key]) => !keys.includes(key)));

function withPlan(draft: Part, plan: Plan): Part {
  const next = { ...draft };
  applyPlan(next, plan);
  return next;
}
