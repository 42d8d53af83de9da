/** What a person sees who is asked about a command: everything that decides what it does, and no byte less. */
import { plainJson } from '../../../core/plain-json.ts';
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

/** Nobody can decide about what is too long to be read: it is refused, and never cut. */
export function checkShownInFull(subject: ExecSubject, maxBytes: number): void {
  const size = Buffer.byteLength(plainJson(JSON.stringify(subject)));
  if (size <= maxBytes) return;
  throw new CommandFailure(refusalText('ValidationFailed', 'command-too-long-to-show'), {
    hint: `A person is to see the whole command. It takes ${size} bytes, and ${maxBytes} are shown (limits.maxApprovalBytes). Put what it does into a file.`,
    code: 'INVALID_REQUEST',
    notExecuted: true,
  });
}
