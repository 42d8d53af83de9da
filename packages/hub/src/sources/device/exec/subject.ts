/** What a person sees who is asked about a command: everything that decides what it does, and no byte less. */
import { NOTHING } from '../../../core/redact/hide-nothing.ts';
import { redactArguments } from '../../../core/redact/redact.ts';
import { jsonBytes } from '../../../core/wire/byte-text.ts';
import { CommandFailure } from '../registry/failure.ts';
import type { ExecPlan, Operand } from './plan/exec-plan.ts';
import { refusalText } from './policy/verdict.ts';

export interface ExecSubject {
  readonly argv: readonly string[];
  readonly path: string;
  /** Only where links led to another path. */
  readonly found?: string;
  readonly cwd: string;
  /** What is set besides what every command gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Of everything that it gets. */
  readonly envHash: string;
  /** Files that it runs or reads, as they are now. */
  readonly operands: readonly Operand[];
  readonly [other: string]: unknown;
}

export const subjectOf = (plan: ExecPlan, env: Readonly<Record<string, string>>): ExecSubject => ({
  argv: plan.argv,
  path: plan.path,
  ...(plan.found !== plan.path && { found: plan.found }),
  cwd: plan.cwd,
  env,
  envHash: plan.envHash,
  operands: plan.operands,
});

/** More than any command line has. */
const NO_LIMIT = 2 ** 30;

/** Nobody can decide about what is not shown in full: what a question would have to cut is refused. */
export function checkShownInFull(subject: ExecSubject, maxBytes: number): void {
  const raw = jsonBytes(subject);
  if (redactArguments(raw, maxBytes, NOTHING) === redactArguments(raw, NO_LIMIT, NOTHING)) return;
  throw new CommandFailure(refusalText('ValidationFailed', 'command-too-long-to-show'), {
    hint: `A person is to see the whole command, and more than ${maxBytes} bytes, or half of that for one argument, are not shown (limits.maxApprovalBytes). Put what it does into a file.`,
    code: 'INVALID_REQUEST',
    notExecuted: true,
  });
}
