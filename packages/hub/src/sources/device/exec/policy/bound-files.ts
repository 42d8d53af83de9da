/**
 * Files that an entry of the allowlist is held to: whoever allows a script for good has read this script, and not what
 * somebody makes of it later. Programs that only an administrator can change may be updated.
 */
import type { ExecPlan, Operand } from '../plan/exec-plan.ts';
import { runsCode } from '../wrappers/inline-code.ts';
import { programName } from '../wrappers/program-name.ts';
import { sha256Hex } from './read-private-file.ts';

const ADMINISTRATORS =
  /^(?:\/(?:usr|bin|sbin|lib|lib64|opt|nix\/store|snap|System|Library|Applications)\/|[A-Z]:\\(?:Windows|Program Files(?: \(x86\))?)\\)/i;

type Bound = Pick<ExecPlan, 'argv' | 'path' | 'operands'>;

function isBound({ path: file }: Operand, { argv, path }: Bound): boolean {
  if (ADMINISTRATORS.test(file)) return false;
  return file === path || [path, ...argv].some((word) => runsCode(programName(word)));
}

/** Undefined: there are none. */
export function boundFiles(plan: Bound): string | undefined {
  const bound = plan.operands.filter((operand) => isBound(operand, plan));
  if (bound.length === 0) return undefined;
  return `sha256:${sha256Hex(JSON.stringify(bound.map((each) => Object.values(each))))}`;
}
