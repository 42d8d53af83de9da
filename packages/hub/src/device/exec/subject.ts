/** The subject of an approval: everything that decides what a command does. A person sees it in full. */
import { basename } from 'node:path';
import { z } from 'zod';
import { plainJson } from '../../core/plain-json.ts';
import { CommandFailure } from '../registry/capability.ts';
import type { Operand } from './operands.ts';
import type { MadePlan } from './plan.ts';
import { MAIN_AGENT, refusalText } from './decide.ts';

export interface ExecSubject {
  /** The agent of OpenClaw, if it is not the main one. */
  readonly agent?: string;
  readonly argv: readonly string[];
  readonly path: string;
  /** Present if links led to another path. */
  readonly found?: string;
  readonly cwd: string;
  /** Variables that the caller sets. */
  readonly env: Readonly<Record<string, string>>;
  /** Hash of the whole environment. */
  readonly envHash: string;
  /** Files that it runs or reads, with their hashes. */
  readonly operands: readonly Operand[];
  /** What the approval does not cover, in sentences. */
  readonly notCovered?: readonly string[];
  /** Why the command cannot be allowed for good. */
  readonly onlyOnce?: string;
  readonly [other: string]: unknown;
}

export const subjectOf = (
  { plan, copyPlan, onlyOnce, namesState, isUnchanged }: SubjectParts,
  env: Readonly<Record<string, string>>,
  agent: string,
): ExecSubject => {
  // Users can change the files, and no copy of them runs.
  const isInPlace = onlyOnce !== undefined && copyPlan === undefined && isUnchanged !== undefined;
  const notCovered = [
    ...(onlyOnce?.notCovered ?? []),
    ...(copyPlan?.notes ?? []),
    ...(onlyOnce === undefined && copyPlan !== undefined ? copyPlan.operands.map(ownProgram) : []),
    ...(isInPlace
      ? ['Its files run in place, not as copies: one could be replaced at the moment of the start.']
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

/** The bytes are approved; what they do with other files is unknown. */
const ownProgram = ({ path }: Operand): string =>
  `${basename(path)} is not a program of the system: it may load other files and start other programs.`;

type SubjectParts = Pick<MadePlan, 'plan' | 'copyPlan' | 'onlyOnce' | 'namesState' | 'isUnchanged'>;

const NAMES_STATE = "it names Pincer's state folder, which holds the admin token and the policy";

/** Refuses a subject that is too long to show. It is never shortened. */
export function checkShownInFull(subject: ExecSubject, maxBytes: number): void {
  const size = Buffer.byteLength(plainJson(JSON.stringify(subject)));
  if (size <= maxBytes) return;
  throw new CommandFailure(refusalText('ValidationFailed', 'command-too-long-to-show'), {
    hint: `A person must see the whole command. It has ${size} bytes, and the limit is ${maxBytes} (limits.maxCommandBytes). Put the rest into a file.`,
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
 * Parses the subject that a person was shown. Undefined if the text is not a subject: a question ahead of a call shows
 * the caller's own arguments, which may contain anything.
 */
export function readSubject(text: string): z.output<typeof schema> | undefined {
  const { data } = schema.safeParse(JSON.parse(text));
  return data;
}
