/** Libraries that an ELF program loads from places which others than an administrator can change. */
import { isAdministrators } from '../plan/administrators.ts';

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

/** @returns undefined if there are none, or if it is no ELF program of 64 bits. */
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
  if (loaderPath !== undefined && !isAdministrators(loaderPath)) return `is started by ${loaderPath}`;
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
  // An empty one is the working folder.
  const foreign = folders.find((folder) => !isAdministrators(`${folder}/`) || folder.includes('$'));
  const byPath = texts(DT_NEEDED).find((name) => name.includes('/') && !isAdministrators(name));
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
