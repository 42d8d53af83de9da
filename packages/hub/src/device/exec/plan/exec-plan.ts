/** What exactly would run. An approval is for the digest of this, and nothing else is ever started. */
import { sha256Hex } from '../sha256.ts';

/** A file that decides what the command does. One that is too large to be hashed each time is known by its stamp. */
export type Operand =
  | { readonly path: string; readonly sha256: string }
  | { readonly path: string; readonly stamp: string };

export interface ExecPlan {
  readonly argv: readonly string[];
  /** The executable with all links followed: exactly this is started, and nothing is looked for at the start. */
  readonly path: string;
  /** Where it was found before links were followed: entries of the allowlist may name this, too. */
  readonly found: string;
  /** With all links followed. */
  readonly cwd: string;
  /** Of all variables that it gets. */
  readonly envHash: string;
  readonly operands: readonly Operand[];
}

/** Every member in one order, so that no two different plans have the same text. */
const canonicalPlan = ({ argv, path, found, cwd, envHash, operands }: ExecPlan): string =>
  JSON.stringify([
    'exec-plan-1',
    argv,
    path,
    found,
    cwd,
    envHash,
    operands.map((each) =>
      'sha256' in each ? [each.path, 'sha256', each.sha256] : [each.path, 'stamp', each.stamp],
    ),
  ]);

export const planDigest = (plan: ExecPlan): string => `sha256:${sha256Hex(canonicalPlan(plan))}`;

/** Names have one order, whatever order they were given in. */
export const environmentHash = (env: Readonly<Record<string, string>>): string =>
  `sha256:${sha256Hex(JSON.stringify(Object.entries(env).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))))}`;

const MEMBERS = ['argv', 'path', 'found', 'cwd', 'envHash', 'operands'] as const;

/** For people: which members differ. */
export const planDifferences = (a: ExecPlan, b: ExecPlan): string[] =>
  MEMBERS.filter((member) => JSON.stringify(a[member]) !== JSON.stringify(b[member]));
