/**
 * The files that decide what a command does: the programs, and whatever on the command line names a file. Which of those
 * a program runs as code and which it only reads cannot be told for every program, so both are held to what they were.
 */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Operand } from './exec-plan.ts';
import { isNetworkPath } from './find-executable.ts';
import type { FileFacts, Machine } from './machine.ts';

/** A larger program or script is known by its stamp (place, size, times); a larger file that is only named is left out. */
export const MAX_HASHED_BYTES = 1024 * 1024;
/** Read for one command in all; what comes after that is known by its stamp, too. */
const MAX_HASHED_IN_ALL = 16 * 1024 * 1024;
/** Files of one command line that are looked at. */
export const MAX_OPERANDS = 256;
/** The first words of an interpreter's line, among which its script is. */
const MAX_GUESSED = 16;

export interface OperandsOf {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Whole paths of what certainly runs: the program, and those that it starts. */
  readonly programs: readonly string[];
  /** One of them is an interpreter: it finds files by less than their names. */
  readonly runsCode: boolean;
}

/** Undefined: more files than anybody could look at. */
export async function readOperands(
  { argv, cwd, programs, runsCode }: OperandsOf,
  machine: Machine,
): Promise<readonly Operand[] | undefined> {
  const code = new Set(programs);
  const named = new Set<string>();
  for (const [at, word] of argv.entries()) {
    const names = at === 0 ? [] : fileNamesIn(word);
    for (const part of runsCode && at <= MAX_GUESSED ? [...names, ...names.flatMap(foundBy)] : names) {
      if (isNetworkPath(part, machine.platform)) continue;
      const path = machine.realPath(resolve(cwd, part));
      const kind = path === undefined ? undefined : machine.facts(path)?.kind;
      // A pipe or a device has nothing to be held to; where code is run, the person is to see that it is one.
      const isSeen = kind === 'file' || (kind === 'other' && runsCode);
      if (path !== undefined && !code.has(path) && isSeen) named.add(path);
    }
    if (named.size > MAX_OPERANDS) return undefined;
  }
  const operands: Operand[] = [];
  let room = MAX_HASHED_IN_ALL;
  // One after the other: no command, and no number of them, fills the memory with what it names.
  for (const path of [...code, ...named]) {
    const { kind, size, stamp } = machine.facts(path) ?? { kind: 'file', size: Infinity, stamp: 'absent' };
    if (kind === 'other') {
      operands.push({ path, stamp: `no file ${stamp}` });
      continue;
    }
    const isLarge = size > MAX_HASHED_BYTES;
    if (isLarge && !code.has(path) && !isScript(path)) continue;
    const isRead = !isLarge && size <= room;
    if (isRead) room -= size;
    operands.push(isRead ? await readOperand(path, { size, stamp }, machine) : { path, stamp });
  }
  return operands;
}

/** The word itself, and what an option says behind `=`, or `@` for those that read a file. */
function fileNamesIn(word: string): string[] {
  const value = /^[^=]*=(.+)$/s.exec(word)?.[1];
  return [word, value, word.startsWith('@') ? word.slice(1) : undefined].filter(
    (name): name is string => name !== undefined && name !== '' && !name.includes('\0'),
  );
}

/** `node server` runs server.js, `node app` and `python app` what is in that folder, `python -m app.tool` app/tool.py. */
const foundBy = (name: string): string[] => [
  ...['.js', '/index.js', '/package.json', '/__main__.py'].map((end) => name + end),
  ...(/^[\w.]+$/.test(name)
    ? [`${name.replaceAll('.', '/')}.py`, `${name.replaceAll('.', '/')}/__main__.py`]
    : []),
];

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
    // It grows while it is read: its next look differs anyway.
    return { path, sha256: createHash('sha256').update(content).digest('hex') };
  } catch {
    // A program need not be readable to run.
    return { path, stamp };
  }
}
