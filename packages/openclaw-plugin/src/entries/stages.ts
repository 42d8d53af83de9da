/**
 * How much one write takes out of the file. OpenClaw 2026.9.6 takes a file that has lost more than half of its size for damaged: it
 * refuses to write it, and puts its backup in the place of one that it reads. So many entries are removed in several writes.
 */
import { stubOf } from './entry.ts';
import { applyPlan, type Plan } from './plan.ts';
import { mcpServersIn, type Part } from '../config-part.ts';

/** More than OpenClaw's half: it measures the file, we the configuration. */
const KEPT_SHARE = 0.6;

export interface Stage {
  readonly plan: Plan;
  /** Nothing of the whole plan is left for a later write. */
  readonly isLast: boolean;
}

/** `before` is the size of the file that the stage is written over, from `sizeOf`. */
export function nextStage(draft: Part, plan: Plan, before: number): Stage {
  const isSafe = (part: Plan): boolean => sizeOf(withPlan(draft, part)) >= KEPT_SHARE * before;
  if (isSafe(plan)) return { plan, isLast: true };
  const gone = [...plan.changes].filter(([, entry]) => entry === undefined).map(([key]) => key);
  // What is written is written with the first stage, so that only removals are left.
  let stage: Plan = { ...plan, changes: without(plan, gone) };
  const present = mcpServersIn(draft);
  for (const key of gone)
    for (const less of [undefined, stubOf(present[key])]) {
      const next = { ...stage, changes: new Map([...stage.changes, [key, less]]) };
      if (!isSafe(next) || sizeOf(withPlan(draft, next)) === sizeOf(withPlan(draft, stage))) continue;
      stage = next;
      break;
    }
  const isProgress = sizeOf(withPlan(draft, stage)) !== sizeOf(draft);
  // One entry is most of the file, and as small as it can be: OpenClaw is told that this is meant.
  return isProgress ? { plan: stage, isLast: false } : { plan, isLast: true };
}

export const sizeOf = (config: Part): number => Buffer.byteLength(JSON.stringify(config, undefined, 2));

const without = ({ changes }: Plan, keys: readonly string[]): Plan['changes'] =>
  new Map([...changes].filter(([key]) => !keys.includes(key)));

function withPlan(draft: Part, plan: Plan): Part {
  const next = { ...draft };
  applyPlan(next, plan);
  return next;
}
