/** What a person sees who is asked about a command: everything that decides what it does, never shortened. */
import { basename } from 'node:path';
import { z } from 'zod';
import { plainJson } from '../../core/plain-json.ts';
import { CommandFailure } from '../registry/capability.ts';
import type { Operand } from './operands.ts';
import type { MadePlan } from './plan.ts';
import { MAIN_AGENT, refusalText } from './decide.ts';

export interface ExecSubject {
  /** The agent of OpenClaw's that it is for, where that is not the main one. */
  readonly agent?: string;
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
  /** What is not covered, in sentences. */
  readonly notCovered?: readonly string[];
  /** Why it cannot be allowed for good. */
  readonly onlyOnce?: string;
  readonly [other: string]: unknown;
}

export const subjectOf = (
  { plan, copyPlan, onlyOnce, namesState, isUnchanged }: SubjectParts,
  env: Readonly<Record<string, string>>,
  agent: string,
): ExecSubject => {
  // Somebody can change its files, and there is no copy of them.
  const isInPlace = onlyOnce !== undefined && copyPlan === undefined && isUnchanged !== undefined;
  const notCovered = [
    ...(onlyOnce?.notCovered ?? []),
    ...(copyPlan?.notes ?? []),
    ...(onlyOnce === undefined && copyPlan !== undefined ? copyPlan.operands.map(ownProgram) : []),
    ...(isInPlace
      ? ['Its files run from their own place: one can be exchanged in the moment of the start.']
      : []),
  ];
  const why = namesState ? NAMES_STATE : onlyOnce?.reason;
  return {
    ...(agent !== MAIN_AGENT && { agent }),
    argv: plan.argv,
    path: plan.path,
    ...(plan.found !== plan.path && { found: plan.found }),
    cwd: plan.cwd,
    env,
    envHash: plan.envHash,
    operands: plan.operands,
    ...(notCovered.length > 0 && { notCovered }),
    ...(why !== undefined && { onlyOnce: why }),
  };
};

/** Its bytes are what was seen; what they do with other files nobody can tell. */
const ownProgram = ({ path }: Operand): string =>
  `${basename(path)} is no program of the system: it may load other files and start other programs.`;

type SubjectParts = Pick<MadePlan, 'plan' | 'copyPlan' | 'onlyOnce' | 'namesState' | 'isUnchanged'>;

const NAMES_STATE = "it names Pincer's state folder, where the admin token and the policy are";

/** Nobody can decide about what is too long to be read: it is refused, and never cut. */
export function checkShownInFull(subject: ExecSubject, maxBytes: number): void {
  const size = Buffer.byteLength(plainJson(JSON.stringify(subject)));
  if (size <= maxBytes) return;
  throw new CommandFailure(refusalText('ValidationFailed', 'command-too-long-to-show'), {
    hint: `A person is to see the whole command. It takes ${size} bytes, and ${maxBytes} are shown (limits.maxCommandBytes). Put what it does into a file.`,
    code: 'INVALID_REQUEST',
    notExecuted: true,
  });
}

const operand = z.union([
  z.strictObject({ path: z.string(), sha256: z.string() }),
  z.strictObject({ path: z.string(), stamp: z.string() }),
]);

const schema = z.strictObject({
  agent: z.string().optional(),
  argv: z.array(z.string()).min(1),
  path: z.string(),
  found: z.string().optional(),
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
  envHash: z.string(),
  operands: z.array(operand),
  notCovered: z.array(z.string()).optional(),
  onlyOnce: z.string().optional(),
});

/**
 * The subject that a person was shown. Undefined: it is none. A question ahead of a call shows the caller's own words, in
 * which anything may stand beside what would run.
 */
export function readSubject(text: string): z.output<typeof schema> | undefined {
  const { data } = schema.safeParse(JSON.parse(text));
  return data;
}
