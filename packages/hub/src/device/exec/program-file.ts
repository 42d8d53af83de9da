/** Reads the file of a program: its `#!` line and interpreter, and the libraries that it loads. */
import { basename } from 'node:path';
import { findExecutable, type Executable, type Machine, programNames, isAdminOnly } from './machine.ts';
import { runsCode } from './inline-code.ts';

/** Linux reads at most this many bytes of a `#!` line. */
export const HEAD_BYTES = 256;

export interface Shebang {
  /** The path in the line. */
  readonly interpreter: string;
  /** On Linux the rest of the line is one word. */
  readonly option: string | undefined;
}

/** @returns undefined if the file is not a script. */
export function readShebang(head: Buffer): Shebang | undefined {
  if (head.toString('latin1', 0, 2) !== '#!') return undefined;
  const line = head.subarray(2, HEAD_BYTES).toString('utf8').split('\n', 1)[0]!.trim();
  const [, interpreter = '', option = ''] = /^(\S*)[ \t]*(.*)$/s.exec(line) ?? [];
  return { interpreter, option: option === '' ? undefined : option };
}

/** Whether a program finds libraries relative to itself: `$ORIGIN` in ELF, `@loader_path` in Mach-O. */
export const loadsFromItsPlace = (content: Buffer): boolean =>
  ['$ORIGIN', '${ORIGIN}', '@loader_path', '@executable_path'].some((mark) => content.includes(mark));

interface Interpreter {
  readonly executable: Executable;
  readonly argv0: string;
  /** Arguments before the script. */
  readonly before: readonly string[];
  /** By `programName`. Undefined if it does not run code. */
  readonly name: string | undefined;
}

/** The program that the system starts for a `#!` line. Resolves `env NAME`. */
export function interpreterOf(
  { interpreter, option }: Shebang,
  cwd: string,
  machine: Machine,
): Interpreter | undefined {
  const isEnv = basename(interpreter) === 'env' && option !== undefined && /^(?!-)[\w.+-]+$/.test(option);
  const executable = findExecutable(isEnv ? option : interpreter, cwd, machine);
  if (executable === undefined) return undefined;
  return {
    executable,
    argv0: isEnv ? option : interpreter,
    before: option === undefined || isEnv ? [] : [option],
    name: [...programNames(executable.found, executable.path)].find(runsCode),
  };
}

const PT_DYNAMIC = 2;
const PT_INTERP = 3;
const PT_LOAD = 1;
const DT_NEEDED = 1;
const DT_STRTAB = 5;
const DT_RPATH = 15;
const DT_RUNPATH = 29;

interface Segment {
  readonly type: number;
  readonly offset: number;
  readonly address: number;
  readonly size: number;
}

/** Why an ELF program depends on files that users can change. @returns undefined if it does not, or is not 64-bit ELF. */
export function foreignLibraries(content: Buffer): string | undefined {
  const isElf = content.toString('latin1', 0, 4) === '\x7fELF';
  if (!isElf || content[4] !== 2 || content[5] !== 1) return undefined;
  try {
    return read(content);
  } catch {
    return 'has a header that cannot be read';
  }
}

function read(content: Buffer): string | undefined {
  const segments = segmentsOf(content);
  const loader = segments.find(({ type }) => type === PT_INTERP);
  const loaderPath = loader && textAt(content, loader.offset);
  if (loaderPath !== undefined && !isAdminOnly(loaderPath)) return `is started by ${loaderPath}`;
  const dynamic = segments.find(({ type }) => type === PT_DYNAMIC);
  if (dynamic === undefined) return undefined;
  const entries = Array.from({ length: Math.floor(dynamic.size / 16) }, (_, at) => ({
    tag: Number(content.readBigInt64LE(dynamic.offset + at * 16)),
    value: Number(content.readBigUInt64LE(dynamic.offset + at * 16 + 8)),
  }));
  const table = entries.find(({ tag }) => tag === DT_STRTAB)?.value ?? 0;
  const mapped = segments.find(
    ({ type, address, size }) => type === PT_LOAD && table >= address && table < address + size,
  );
  const texts = (...tags: number[]): string[] =>
    entries
      .filter(({ tag }) => tags.includes(tag))
      .map(({ value }) => textAt(content, table - (mapped?.address ?? 0) + (mapped?.offset ?? 0) + value));
  const folders = texts(DT_RPATH, DT_RUNPATH).flatMap((text) => text.split(':'));
  // An empty folder means the working folder.
  const foreign = folders.find((folder) => !isAdminOnly(`${folder}/`) || folder.includes('$'));
  const byPath = texts(DT_NEEDED).find((name) => name.includes('/') && !isAdminOnly(name));
  if (foreign !== undefined) return `loads libraries from ${foreign === '' ? 'the working folder' : foreign}`;
  return byPath && `loads ${byPath}`;
}

function segmentsOf(content: Buffer): Segment[] {
  const start = Number(content.readBigUInt64LE(32));
  const [size, count] = [content.readUInt16LE(54), content.readUInt16LE(56)];
  return Array.from({ length: count }, (_, at) => start + at * size).map((offset) => ({
    type: content.readUInt32LE(offset),
    offset: Number(content.readBigUInt64LE(offset + 8)),
    address: Number(content.readBigUInt64LE(offset + 16)),
    size: Number(content.readBigUInt64LE(offset + 32)),
  }));
}

function textAt(content: Buffer, offset: number): string {
  const end = content.indexOf(0, offset);
  return content.toString('utf8', offset, end < 0 ? offset : end);
}
