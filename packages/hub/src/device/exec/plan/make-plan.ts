/** A plan out of a request: everything is looked up once, here, and the start takes what was found. */
import { isAbsolute } from 'node:path';
import type { ExecRequest } from '../request/read-request.ts';
import { chainOf, type Chain } from '../wrappers/chain.ts';
import { environmentHash, type ExecPlan } from './exec-plan.ts';
import { findExecutable, isBatchScript, isNetworkPath } from './find-executable.ts';
import type { Machine } from './machine.ts';
import { MAX_OPERANDS, readOperands } from './operands.ts';

export interface MadePlan {
  readonly plan: ExecPlan;
  /** What it starts, for the policy. */
  readonly chain: Chain;
  /** All variables that it gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether its files are still those that were looked at; no content is read for it. Undefined: nobody could change them. */
  readonly isAsItWas: (() => boolean) | undefined;
}

/** Nothing could be started: `why` is what stands behind `Failed to start: `. */
export interface NoPlan {
  readonly why: string;
  /** It is there, but is never started from here. */
  readonly isRefused: boolean;
}

export interface PlanParts {
  readonly machine: Machine;
  /** Variables that every command gets. */
  readonly base: Readonly<Record<string, string>>;
  /** Where a command runs that names no folder. */
  readonly folder: string;
}

export async function makePlan(
  request: ExecRequest,
  { machine, base, folder }: PlanParts,
): Promise<MadePlan | NoPlan> {
  const { argv } = request;
  const asked = request.cwd ?? folder;
  if (!isAbsolute(asked)) return { why: 'the working folder is not a whole path', isRefused: true };
  if (isNetworkPath(request.cwd ?? '', machine.platform))
    return { why: 'the working folder is on another machine', isRefused: true };
  const cwd = machine.realPath(asked);
  if (cwd === undefined) return { why: `the working folder does not exist: ${asked}`, isRefused: false };
  if (machine.facts(cwd)?.kind !== 'folder')
    return { why: `the working folder is not a folder: ${asked}`, isRefused: false };
  const find = (word: string) => findExecutable(word, cwd, machine);
  const executable = find(argv[0] ?? '');
  if (executable === undefined) return { why: `no such command: ${argv[0]}`, isRefused: false };
  const { found, path } = executable;
  if (machine.platform === 'win32' && (isBatchScript(path) || isBatchScript(found)))
    return { why: 'batch scripts need a shell, and none runs them here', isRefused: true };
  const env = { ...base, ...request.env };
  const chain = chainOf(argv, executable, find);
  const programs = chain.links.map((link) => link.executable.path);
  const runsFiles = chain.isOpaque || chain.links.some((link) => link.runsCode);
  const read = await readOperands({ argv, cwd, programs, runsFiles }, machine);
  if (read === undefined)
    return { why: `its arguments name more than ${MAX_OPERANDS} files`, isRefused: true };
  const { operands, isAsItWas } = read;
  return { plan: { argv, path, found, cwd, envHash: environmentHash(env), operands }, chain, env, isAsItWas };
}
