/** A plan out of a request: everything is looked up once, here, and the start takes what was found. */
import { isAbsolute } from 'node:path';
import { implicitInputs } from '../held/implicit-inputs.ts';
import { whyOnlyOnce, type OnlyOnce } from '../held/only-once.ts';
import { wayToHold, type Held } from '../held/way-to-hold.ts';
import type { ExecRequest } from '../request/read-request.ts';
import { chainOf, type Chain } from '../wrappers/chain.ts';
import { environmentHash, type ExecPlan } from './exec-plan.ts';
import { findExecutable, isBatchScript, isNetworkPath } from './find-executable.ts';
import type { Machine } from './machine.ts';
import { namesFolder } from './names-folder.ts';
import { MAX_OPERANDS, readOperands } from './operands.ts';

export interface MadePlan {
  readonly plan: ExecPlan;
  /** What it starts, for the policy. */
  readonly chain: Chain;
  /** All variables that it gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether its files are still those that were looked at; no content is read for it. Undefined: nobody could change them. */
  readonly isAsItWas: (() => boolean) | undefined;
  /** The file of which a copy runs in its place; undefined: there is none that others could change, or it cannot be told. */
  readonly held: Held | undefined;
  /** Why it can be allowed once only, and what is not covered. Undefined: it can be allowed for good. */
  readonly onlyOnce: OnlyOnce | undefined;
  /** It names the state folder: a person is asked, whatever the policy says. */
  readonly namesState: boolean;
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
  /** The state folder. */
  readonly state: string;
}

export async function makePlan(
  request: ExecRequest,
  { machine, base, folder, state }: PlanParts,
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
  const implicit = await implicitInputs(chain.links, cwd, machine);
  const read = await readOperands({ argv, cwd, programs, runsFiles, implicit }, machine);
  if (read === undefined)
    return { why: `its arguments name more than ${MAX_OPERANDS} files`, isRefused: true };
  const { operands, isAsItWas } = read;
  const factsOf = (program: string) => read.programs.get(program);
  const named = {
    words: argv,
    values: Object.values(request.env),
    cwd,
    programs: [found, path],
    home: homeOf(env),
  };
  return {
    plan: { argv, path, found, cwd, envHash: environmentHash(env), operands },
    chain,
    env,
    isAsItWas,
    held: wayToHold({ argv, cwd, chain, operands, programs: read.programs }, machine),
    onlyOnce: whyOnlyOnce(chain, factsOf),
    namesState: namesFolder(state, named, machine),
  };
}

export const homeOf = (env: Readonly<Record<string, string>>): string | undefined =>
  env['HOME'] ?? env['USERPROFILE'];
