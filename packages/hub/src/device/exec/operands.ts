/**
 * Hashes the files that decide what a command does: its programs, and every file that the command line names. For most
 * programs it is unknown which files they run and which they only read, so both are part of the plan.
 */
import { resolve } from 'node:path';
import { sha256 } from '../../lib/digest.ts';
import { isAdminOnly, isNetworkPath, type FileFacts, type Machine } from './machine.ts';
import type { ProgramFacts } from './only-once.ts';
import {
  foreignLibraries,
  interpreterOf,
  HEAD_BYTES,
  loadsFromItsPlace,
  readShebang,
  type Shebang,
} from './program-file.ts';

/** A file that decides what the command does. Large files have a stamp instead of a hash. */
export type Operand =
  | { readonly path: string; readonly sha256: string }
  | { readonly path: string; readonly stamp: string };

/** Larger programs and scripts get a stamp (inode, size, times). Other larger files are skipped. */
export const MAX_HASHED_BYTES = 1024 * 1024;
/** The limit for a program that users can change. A larger program gets a stamp and runs in place. */
export const MAX_PROGRAM_BYTES = 32 * 1024 * 1024;
/** Total per command, without programs. Files beyond it get a stamp. */
const MAX_HASHED_IN_ALL = 16 * 1024 * 1024;
/** Files per command line. */
export const MAX_OPERANDS = 256;

interface OperandsOf {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Absolute paths of the programs that run. */
  readonly programs: readonly string[];
  /** Whether one of them is an interpreter or opaque. Then any named file may be run, even without its extension. */
  readonly runsFiles: boolean;
  /** Files that programs read without an argument (implicit-inputs.ts). Most of them do not exist. */
  readonly implicit: readonly string[];
}

/** Facts from the file of a program, with its `#!` line. */
export interface ReadProgram extends ProgramFacts {
  readonly shebang: Shebang | undefined;
}

interface ReadOperands {
  readonly operands: readonly Operand[];
  /** By their paths. */
  readonly programs: ReadonlyMap<string, ReadProgram>;
  /** Whether no file has changed since it was read. Undefined if only an administrator could change them. */
  readonly isUnchanged: (() => boolean) | undefined;
}

/** Undefined if there are too many files. */
export async function readOperands(
  { argv, cwd, programs, runsFiles, implicit }: OperandsOf,
  machine: Machine,
): Promise<ReadOperands | undefined> {
  const code = new Set(programs);
  const named = new Set<string>();
  const find = (name: string, isTaken: (path: string, facts: FileFacts) => boolean): void => {
    if (isNetworkPath(name, machine.platform) || named.size > MAX_OPERANDS) return;
    const asked = resolve(cwd, name);
    // A path that is not UTF-8 has no text form, so the requested path is used.
    const path = machine.realPath(asked) ?? asked;
    const facts = machine.facts(path);
    if (facts !== undefined && !code.has(path) && isTaken(path, facts)) named.add(path);
  };
  // A pipe or a device has no content to hash. If code may run from it, the person must see that.
  for (const word of argv.slice(1))
    for (const name of fileNamesIn(word))
      find(name, (_, { kind }) => kind === 'file' || (kind === 'other' && runsFiles));
  if (runsFiles) {
    for (const name of guessedFrom(argv)) find(name, (_, { kind }) => kind === 'file');
    for (const name of pathsInCode(argv))
      find(name, (path, { kind }) => kind === 'file' && (isScript(path) || machine.canExecute(path)));
    for (const name of programsIn(argv)) {
      const found = machine.find(name);
      if (found !== undefined) find(found, (path, { kind }) => kind === 'file' && !isAdminOnly(path));
    }
  }
  const always = new Set(programs);
  for (const name of implicit)
    find(name, (path, { kind }) => {
      always.add(path);
      return kind === 'file';
    });
  if (named.size > MAX_OPERANDS) return undefined;
  const operands: Operand[] = [];
  const read = new Map<string, ReadProgram>();
  const stamps: (readonly [path: string, stamp: string])[] = [];
  let room = MAX_HASHED_IN_ALL;
  // Sequentially, so that commands cannot fill the memory.
  const paths = new Set([...code, ...named]);
  for (const path of paths) {
    const { kind, size, stamp } = machine.facts(path) ?? NO_FILE;
    if (kind === 'other') {
      operands.push({ path, stamp: `no file ${stamp}` });
      continue;
    }
    const isProgram = programs.includes(path);
    const isChangeable = !isAdminOnly(path);
    const isLarge = size > (isProgram && isChangeable ? MAX_PROGRAM_BYTES : MAX_HASHED_BYTES);
    if (isLarge && !runsFiles && !always.has(path) && !isScript(path)) continue;
    const isRead = !isLarge && (isProgram || size <= room);
    if (isRead && !isProgram) room -= size;
    if (isChangeable) stamps.push([path, stamp]);
    const content = await contentOf(path, isRead ? size + 1 : isProgram ? HEAD_BYTES : 0, machine);
    // Reads one byte more than the size, so that a file that has grown gets another hash. A program may run without being readable.
    operands.push(isRead && content !== undefined ? { path, sha256: sha256(content) } : { path, stamp });
    if (!isProgram) continue;
    const program = programOf(content, { isChangeable, isWhole: isRead });
    read.set(path, program);
    const interpreter = program.shebang && interpreterOf(program.shebang, cwd, machine)?.executable.path;
    // An interpreter that users can change is part of the code, like the script.
    if (interpreter !== undefined && !isAdminOnly(interpreter)) {
      always.add(interpreter);
      paths.add(interpreter);
    }
  }
  const isSame = ([path, stamp]: readonly [string, string]): boolean =>
    (machine.facts(path) ?? NO_FILE).stamp === stamp;
  return {
    operands,
    programs: read,
    isUnchanged: stamps.length === 0 ? undefined : () => stamps.every(isSame),
  };
}

const NO_FILE: FileFacts = { kind: 'file', size: Infinity, stamp: 'absent' };

const isScript = (path: string): boolean =>
  /\.(?:[cm]?[jt]sx?|pyw?|rb|p[lm]|php|lua|sh|bash|zsh|ksh|fish|ps1|r|awk|sed|tcl|jar|mk)$/i.test(path) ||
  /(?:^|[/\\])(?:gnu)?makefile$/i.test(path);

function programOf(
  content: Buffer | undefined,
  { isChangeable, isWhole }: { readonly isChangeable: boolean; readonly isWhole: boolean },
): ReadProgram {
  const shebang = content && readShebang(content);
  return {
    shebang,
    isScript: shebang !== undefined,
    whyInPlace: isChangeable ? whyInPlace(content, isWhole) : undefined,
  };
}

function whyInPlace(content: Buffer | undefined, isWhole: boolean): string | undefined {
  if (content === undefined) return 'cannot be read, so it cannot be copied';
  if (!isWhole) return `is larger than ${MAX_PROGRAM_BYTES} bytes, so it is not copied`;
  return (
    foreignLibraries(content) ??
    (loadsFromItsPlace(content) ? 'loads libraries from its own folder' : undefined)
  );
}

/** @returns undefined if the file cannot be read. */
async function contentOf(path: string, maxBytes: number, machine: Machine): Promise<Buffer | undefined> {
  if (maxBytes === 0) return undefined;
  try {
    return await machine.read(path, maxBytes);
  } catch {
    return undefined;
  }
}

/** The script is among the first words of an interpreter's command line. */
const MAX_GUESSED = 16;
/** Names in inline code that are checked. */
const MAX_IN_CODE = 1_024;
/** Names in inline code that are looked up on the PATH. */
const MAX_PROGRAMS = 64;

/** The word itself, the value after `=` or the letter of an option, and the name after `@`. */
export function fileNamesIn(word: string): string[] {
  const value = /^[^=]*=(.+)$/s.exec(word)?.[1];
  const glued = /^-[A-Za-z](.+)$/s.exec(word)?.[1];
  return [word, value, glued, word.startsWith('@') ? word.slice(1) : undefined].filter(
    (name): name is string => name !== undefined && name !== '' && !name.includes('\0'),
  );
}

/** Files that an interpreter finds by a shorter name: `node server` runs server.js, `python -m app.tool` app/tool.py. */
const guessedFrom = (argv: readonly string[]): string[] =>
  argv
    .slice(1, MAX_GUESSED + 1)
    .flatMap(fileNamesIn)
    .flatMap(foundBy);

const foundBy = (name: string): string[] => [
  ...['.js', '/index.js', '/package.json', '/__main__.py'].map((end) => name + end),
  ...(/^[\w.]+$/.test(name)
    ? [`${name.replaceAll('.', '/')}.py`, `${name.replaceAll('.', '/')}/__main__.py`]
    : []),
];

const piecesOf = (argv: readonly string[]): string[] => [
  ...new Set(argv.slice(1).flatMap((word) => word.split(/[\s;&|<>()'"`$={},]+/))),
];

/** Paths in inline code: `./build.sh && cat notes`. */
const pathsInCode = (argv: readonly string[]): string[] =>
  piecesOf(argv)
    .filter((piece) => /[./\\]/.test(piece) && !piece.includes('\0'))
    .slice(0, MAX_IN_CODE);

/** Words that may be names of programs. */
const programsIn = (argv: readonly string[]): string[] =>
  piecesOf(argv)
    .filter((piece) => /^[\w+.-]+$/.test(piece) && !piece.startsWith('-'))
    .slice(0, MAX_PROGRAMS);
