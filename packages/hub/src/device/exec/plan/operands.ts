/**
 * The files that decide what a command does: the programs, and whatever on the command line names a file. Which of those
 * a program runs as code and which it only reads cannot be told for every program, so both are held to what they were.
 */
import { resolve } from 'node:path';
import { sha256Hex } from '../sha256.ts';
import { isAdministrators } from './administrators.ts';
import type { Operand } from './exec-plan.ts';
import { isNetworkPath } from './find-executable.ts';
import type { FileFacts, Machine } from './machine.ts';
import { fileNamesIn, guessedFrom, pathsInCode, programsIn } from './named-files.ts';

/** A larger program or script is known by its stamp (place, size, times); a larger file that is only named is left out. */
export const MAX_HASHED_BYTES = 1024 * 1024;
/** Read for one command in all; what comes after that is known by its stamp, too. */
const MAX_HASHED_IN_ALL = 16 * 1024 * 1024;
/** Files of one command line that are looked at. */
export const MAX_OPERANDS = 256;

export interface OperandsOf {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Whole paths of what certainly runs: the program, and those that it starts. */
  readonly programs: readonly string[];
  /** One of them is an interpreter, or nobody can tell what it starts: any file named may be run, even without its ending. */
  readonly runsFiles: boolean;
}

export interface ReadOperands {
  readonly operands: readonly Operand[];
  /** Whether none of them was touched since it was read. Undefined: only an administrator could. */
  readonly isAsItWas: (() => boolean) | undefined;
}

/** Undefined: more files than anybody could look at. */
export async function readOperands(
  { argv, cwd, programs, runsFiles }: OperandsOf,
  machine: Machine,
): Promise<ReadOperands | undefined> {
  const code = new Set(programs);
  const named = new Set<string>();
  const find = (name: string, isTaken: (path: string, facts: FileFacts) => boolean): void => {
    if (isNetworkPath(name, machine.platform) || named.size > MAX_OPERANDS) return;
    const asked = resolve(cwd, name);
    // A path that is not UTF-8 cannot be written down: then the path as asked is looked at.
    const path = machine.realPath(asked) ?? asked;
    const facts = machine.facts(path);
    if (facts !== undefined && !code.has(path) && isTaken(path, facts)) named.add(path);
  };
  // A pipe or a device has nothing to be held to; where code is run, the person is to see that it is one.
  for (const word of argv.slice(1))
    for (const name of fileNamesIn(word))
      find(name, (_, { kind }) => kind === 'file' || (kind === 'other' && runsFiles));
  if (runsFiles) {
    for (const name of guessedFrom(argv)) find(name, (_, { kind }) => kind === 'file');
    for (const name of pathsInCode(argv))
      find(name, (path, { kind }) => kind === 'file' && (isScript(path) || machine.canExecute(path)));
    for (const name of programsIn(argv)) {
      const found = machine.find(name);
      if (found !== undefined) find(found, (path, { kind }) => kind === 'file' && !isAdministrators(path));
    }
  }
  if (named.size > MAX_OPERANDS) return undefined;
  const operands: Operand[] = [];
  const stamps: (readonly [path: string, stamp: string])[] = [];
  let room = MAX_HASHED_IN_ALL;
  // One after the other: no command, and no number of them, fills the memory with what it names.
  for (const path of [...code, ...named]) {
    const { kind, size, stamp } = machine.facts(path) ?? NO_FILE;
    if (kind === 'other') {
      operands.push({ path, stamp: `no file ${stamp}` });
      continue;
    }
    const isLarge = size > MAX_HASHED_BYTES;
    if (isLarge && !runsFiles && !code.has(path) && !isScript(path)) continue;
    const isRead = !isLarge && size <= room;
    if (isRead) room -= size;
    if (!isAdministrators(path)) stamps.push([path, stamp]);
    operands.push(isRead ? await readOperand(path, { size, stamp }, machine) : { path, stamp });
  }
  const isSame = ([path, stamp]: readonly [string, string]): boolean =>
    (machine.facts(path) ?? NO_FILE).stamp === stamp;
  return { operands, isAsItWas: stamps.length === 0 ? undefined : () => stamps.every(isSame) };
}

const NO_FILE: FileFacts = { kind: 'file', size: Infinity, stamp: 'absent' };

const isScript = (path: string): boolean =>
  /\.(?:[cm]?[jt]sx?|pyw?|rb|p[lm]|php|lua|sh|bash|zsh|ksh|fish|ps1|r|awk|sed|tcl|jar|mk)$/i.test(path) ||
  /(?:^|[/\\])(?:gnu)?makefile$/i.test(path);

async function readOperand(
  path: string,
  { size, stamp }: Pick<FileFacts, 'size' | 'stamp'>,
  machine: Machine,
): Promise<Operand> {
  try {
    const content = await machine.read(path, size + 1);
    // One byte more than it had: a file that has grown has another hash.
    return { path, sha256: sha256Hex(content) };
  } catch {
    // A program need not be readable to run.
    return { path, stamp };
  }
}
