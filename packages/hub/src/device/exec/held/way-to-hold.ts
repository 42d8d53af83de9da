/**
 * Which files of a command run as private copies, and by which words. Between the last look at a script and the moment
 * in which its interpreter opens it, somebody may exchange it; nobody can exchange a copy in the state folder.
 */
import { basename, resolve } from 'node:path';
import { isAdministrators } from '../plan/administrators.ts';
import type { Operand } from '../plan/exec-plan.ts';
import type { Executable } from '../plan/find-executable.ts';
import type { Machine } from '../plan/machine.ts';
import type { ReadProgram } from '../plan/operands.ts';
import type { Chain, Link } from '../wrappers/chain.ts';
import { runsCode } from '../wrappers/inline-code.ts';
import { interpreterOf } from './interpreter.ts';
import { runnerOf, type Runner } from './script-runners.ts';
import { scriptAt } from './script-at.ts';
import { wholeWords } from './whole-words.ts';

/** What is started: the program's path, the name that it gets, its arguments. */
export interface Words {
  readonly command: string;
  readonly argv0: string;
  readonly args: readonly string[];
}

export interface Copy {
  /** Where it is, under the name of the file. */
  readonly path: string;
  readonly content: Buffer;
}

export interface Held {
  /** The files whose copies run, as they were looked at. */
  readonly operands: readonly HashedOperand[];
  /** For people: what is different about copies. */
  readonly notes: readonly string[];
  /** `copies`: one for each operand. `folder`: where further files of this run are. */
  words(copies: readonly Copy[], folder: string): Words;
  files(copies: readonly Copy[]): Readonly<Record<string, string>>;
}

export type HashedOperand = Extract<Operand, { readonly sha256: string }>;

export interface HoldOf {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly chain: Chain;
  readonly operands: readonly Operand[];
  readonly programs: ReadonlyMap<string, ReadProgram>;
}

/** One file that is exchanged for its copy, and the line that comes of it. */
interface Step {
  readonly operand: HashedOperand;
  readonly note: string | undefined;
  change(line: Line, copy: Copy, folder: string): Line;
  files?(copy: Copy): Readonly<Record<string, string>>;
}

interface Line {
  readonly executable: string;
  /** With the name of the program. */
  readonly argv: readonly string[];
}

/** @returns undefined if nothing on the line can be exchanged, or if it cannot be told which file is the code. */
export function wayToHold(
  { argv, cwd, chain, operands, programs }: HoldOf,
  machine: Machine,
): Held | undefined {
  const last = chain.links.at(-1);
  const [first] = chain.links;
  if (last === undefined || first === undefined || chain.isOpaque || machine.platform === 'win32')
    return undefined;
  const hashed = (path: string): HashedOperand | undefined =>
    operands.find(
      (each): each is HashedOperand => each.path === path && 'sha256' in each && !isAdministrators(path),
    );
  const program = programs.get(last.executable.path);
  const steps = [
    scriptStep(last, { cwd, machine, hashed }),
    program && programStep(last.executable, program, { cwd, machine, hashed }),
  ].filter((step) => step !== undefined);
  if (steps.length === 0) return undefined;
  const before = wholeWords(argv, chain).slice(1, argv.length - last.argv.length);
  return {
    operands: steps.map(({ operand }) => operand),
    notes: steps.flatMap(({ note }) => note ?? []),
    words(copies, folder) {
      const line = steps.reduce<Line>((each, step, at) => step.change(each, copies[at]!, folder), {
        executable: last.executable.path,
        argv: last.argv,
      });
      return first === last
        ? { command: line.executable, argv0: line.argv[0]!, args: line.argv.slice(1) }
        : {
            command: first.executable.path,
            argv0: argv[0]!,
            args: [...before, line.executable, ...line.argv.slice(1)],
          };
    },
    files: (copies) => Object.assign({}, ...steps.map((step, at) => step.files?.(copies[at]!) ?? {})),
  };
}

interface Around {
  readonly cwd: string;
  readonly machine: Machine;
  hashed(path: string): HashedOperand | undefined;
}

/** `sh s.sh`: the script that stands on the line of its interpreter. */
function scriptStep({ argv, names }: Link, { cwd, machine, hashed }: Around): Step | undefined {
  const name = [...names].find(runsCode);
  const at = name === undefined ? undefined : scriptAt(name, argv.slice(1));
  const word = at === undefined ? undefined : argv[at + 1];
  const path = word === undefined ? undefined : machine.realPath(resolve(cwd, word));
  const operand = path === undefined ? undefined : hashed(path);
  if (name === undefined || at === undefined || operand === undefined) return undefined;
  return runBy(runnerOf(name), operand, {
    before: argv.slice(1, at + 1),
    word: word!,
    after: argv.slice(at + 2),
  });
}

type Parts = Pick<Parameters<Runner['words']>[0], 'before' | 'word' | 'after'>;

const runBy = (runner: Runner, operand: HashedOperand, parts: Parts): Step => ({
  operand,
  note: runner.note?.(basename(operand.path)),
  change: ({ executable, argv }, { path: copy, content }, folder) => ({
    executable,
    argv: [argv[0]!, ...runner.words({ ...parts, copy, content, folder })],
  }),
  files: ({ path: copy }) => runner.files?.({ copy, path: operand.path }) ?? {},
});

/** `./tool`: the program itself, which is started by its first line where it is a script. */
function programStep(
  { path }: Executable,
  { shebang, whyInPlace }: ReadProgram,
  { cwd, machine, hashed }: Around,
): Step | undefined {
  const operand = whyInPlace === undefined ? hashed(path) : undefined;
  if (operand === undefined) return undefined;
  if (shebang === undefined)
    return { operand, note: undefined, change: ({ argv }, copy) => ({ executable: copy.path, argv }) };
  const found = interpreterOf(shebang, cwd, machine);
  if (found === undefined) return undefined;
  const { executable, argv0, before, name } = found;
  // An option may take the script's name for its value (`#!/usr/bin/awk -f`).
  const runner = runnerOf(
    name !== undefined && scriptAt(name, [...before, path]) === before.length ? name : '',
  );
  return {
    ...runBy(runner, operand, { before, word: path, after: [] }),
    change: ({ argv }, { path: copy, content }, folder) => ({
      executable: executable.path,
      argv: [argv0, ...runner.words({ before, word: path, after: argv.slice(1), copy, content, folder })],
    }),
  };
}
