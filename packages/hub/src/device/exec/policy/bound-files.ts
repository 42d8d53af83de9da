/**
 * Files that an entry of the allowlist is held to: whoever allows a script for good has read this script, and not what
 * somebody makes of it later. Programs that only an administrator can change may be updated.
 */
import { isAdministrators } from '../plan/administrators.ts';
import type { ExecPlan, Operand } from '../plan/exec-plan.ts';
import { hasInlineCode, runsCode } from '../wrappers/inline-code.ts';
import { programName } from '../wrappers/program-name.ts';
import { startsOthers } from '../wrappers/unwrap.ts';
import { sha256Hex } from '../sha256.ts';

type Bound = Pick<ExecPlan, 'argv' | 'path' | 'operands'>;

export function boundOperands({ argv, path, operands }: Bound): readonly Operand[] {
  // A program of one's own may run what it is given, whatever it is called.
  const runsFiles =
    !isAdministrators(path) ||
    [path, ...argv].some((word, at) => mayRunFiles(programName(word), argv.slice(Math.max(1, at))));
  return operands.filter((each) => !isAdministrators(each.path) && (runsFiles || each.path === path));
}

/** Undefined: there are none. */
export function boundFiles(plan: Bound): string | undefined {
  const bound = boundOperands(plan);
  if (bound.length === 0) return undefined;
  return `sha256:${sha256Hex(JSON.stringify(bound.map((each) => Object.values(each))))}`;
}

/** Whether a program may run files that stand behind it on its line. */
const mayRunFiles = (name: string, args: readonly string[]): boolean =>
  runsCode(name) || startsOthers(name) || hasInlineCode(name, args);
