/**
 * Private copies that run in place of files. A file could be replaced between the last check and the moment in which its
 * interpreter opens it; a copy in the state folder cannot.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, resolve, join } from 'node:path';
import { sha256 } from '../../lib/digest.ts';
import type { Chain, Link } from './chain.ts';
import { scriptAt, runnerOf, type Runner } from './script-runners.ts';
import { isAdminOnly, type Executable, type Machine } from './machine.ts';
import { type Operand, type ReadProgram, MAX_PROGRAM_BYTES } from './operands.ts';
import { interpreterOf } from './program-file.ts';
import { runsCode } from './inline-code.ts';

/** The words of a start: the path of the program, its argv[0], its arguments. */
export interface Words {
  readonly command: string;
  readonly argv0: string;
  readonly args: readonly string[];
}

interface Copy {
  /** The path of the copy. Its base name is that of the file. */
  readonly path: string;
  readonly content: Buffer;
}

export interface CopyPlan {
  /** The files whose copies run, with the hashes of the plan. */
  readonly operands: readonly HashedOperand[];
  /** For people: how a copy behaves differently. */
  readonly notes: readonly string[];
  /** `copies`: one per operand. `folder`: for further files of this run. */
  words(copies: readonly Copy[], folder: string): Words;
  files(copies: readonly Copy[]): Readonly<Record<string, string>>;
}

type HashedOperand = Extract<Operand, { readonly sha256: string }>;

interface CopyRequest {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly chain: Chain;
  readonly operands: readonly Operand[];
  readonly programs: ReadonlyMap<string, ReadProgram>;
}

/** Replaces one file by its copy, and changes the command line accordingly. */
interface Step {
  readonly operand: HashedOperand;
  readonly note: string | undefined;
  change(line: Line, copy: Copy, folder: string): Line;
  files?(copy: Copy): Readonly<Record<string, string>>;
}

interface Line {
  readonly executable: string;
  /** Includes argv[0]. */
  readonly argv: readonly string[];
}

/** @returns undefined if no file can be replaced by a copy, or if it is unknown which file is the code. */
export function planCopies(
  { argv, cwd, chain, operands, programs }: CopyRequest,
  machine: Machine,
): CopyPlan | undefined {
  const last = chain.links.at(-1);
  const [first] = chain.links;
  if (last === undefined || first === undefined || chain.isOpaque || machine.platform === 'win32')
    return undefined;
  const hashed = (path: string): HashedOperand | undefined =>
    operands.find(
      (each): each is HashedOperand => each.path === path && 'sha256' in each && !isAdminOnly(path),
    );
  const program = programs.get(last.executable.path);
  const steps = [
    scriptStep(last, { cwd, machine, hashed }),
    program && programStep(last.executable, program, { cwd, machine, hashed }),
  ].filter((step) => step !== undefined);
  if (steps.length === 0) return undefined;
  const before = withFullPaths(argv, chain).slice(1, argv.length - last.argv.length);
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

interface StepContext {
  readonly cwd: string;
  readonly machine: Machine;
  hashed(path: string): HashedOperand | undefined;
}

/** `sh s.sh`: a script on the command line of its interpreter. */
function scriptStep({ argv, names }: Link, { cwd, machine, hashed }: StepContext): Step | undefined {
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

/** `./tool`: the program itself. A script is started through its `#!` line. */
function programStep(
  { path }: Executable,
  { shebang, whyInPlace }: ReadProgram,
  { cwd, machine, hashed }: StepContext,
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

/** Only for the owner. Executable, because a copy may be a program. */
const MODE = 0o700;

/** @returns undefined if a file has changed since it was planned. */
export async function makeCopies(
  folder: string,
  { operands, words, files }: CopyPlan,
  machine: Machine,
): Promise<Words | undefined> {
  const copies: Copy[] = [];
  for (const operand of operands) {
    const copy = await copyTo(join(folder, `copy-${copies.length}`), operand, machine);
    if (copy === undefined) return undefined;
    copies.push(copy);
  }
  for (const [name, text] of Object.entries(files(copies)))
    await writeFile(join(folder, name), text, { flag: 'wx', mode: 0o600 });
  return words(copies, folder);
}

/** Each copy has its own folder, so names cannot collide. */
async function copyTo(
  place: string,
  { path, sha256: expected }: HashedOperand,
  machine: Machine,
): Promise<Copy | undefined> {
  const size = Math.min(machine.facts(path)?.size ?? 0, MAX_PROGRAM_BYTES);
  const content = await machine.read(path, size + 1).catch(() => undefined);
  if (content === undefined || sha256(content) !== expected) return undefined;
  const copy = join(place, basename(path));
  await mkdir(place, { mode: MODE });
  await writeFile(copy, content, { flag: 'wx', mode: MODE });
  return { path: copy, content };
}

/**
 * The command line with full paths of all programs that wrappers start: `nice ls` would search the PATH for `ls` again,
 * and could find another one.
 */
export function withFullPaths(argv: readonly string[], { links, isOpaque }: Chain): readonly string[] {
  if (isOpaque) return argv;
  const words = [...argv];
  for (const { argv: rest, executable } of links.slice(1))
    words[argv.length - rest.length] = pathOf(executable);
  return words;
}

/** Keeps links that only an administrator can change: multi-call programs (busybox) depend on their name. */
const pathOf = ({ found, path }: Executable): string => (isAdminOnly(found) ? found : path);
