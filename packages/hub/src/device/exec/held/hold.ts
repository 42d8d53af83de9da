/** Makes the private copies that run in place of files, from exactly the bytes that were looked at. */
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Machine } from '../plan/machine.ts';
import { MAX_PROGRAM_BYTES } from '../plan/operands.ts';
import { sha256Hex } from '../sha256.ts';
import type { Copy, HashedOperand, Held, Words } from './way-to-hold.ts';

/** For their owner alone; a program has to be executable. */
const MODE = 0o700;

/** @returns undefined if a file is not the one any more that was looked at. */
export async function holdIn(
  folder: string,
  { operands, words, files }: Held,
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

/** In a folder of its own: nothing else that is made for this run can have its name. */
async function copyTo(
  place: string,
  { path, sha256 }: HashedOperand,
  machine: Machine,
): Promise<Copy | undefined> {
  const size = Math.min(machine.facts(path)?.size ?? 0, MAX_PROGRAM_BYTES);
  const content = await machine.read(path, size + 1).catch(() => undefined);
  if (content === undefined || sha256Hex(content) !== sha256) return undefined;
  const copy = join(place, basename(path));
  await mkdir(place, { mode: MODE });
  await writeFile(copy, content, { flag: 'wx', mode: MODE });
  return { path: copy, content };
}
