/** The first line of a script: which program the system starts for it. */

/** As much of a file as its first line can take: Linux reads no more of it. */
export const HEAD_BYTES = 256;

export interface Shebang {
  /** A whole path, as the line has it. */
  readonly interpreter: string;
  /** Everything behind it is one word on Linux. */
  readonly option: string | undefined;
}

/** @returns undefined if the file is no script. */
export function readShebang(head: Buffer): Shebang | undefined {
  if (head.toString('latin1', 0, 2) !== '#!') return undefined;
  const line = head.subarray(2, HEAD_BYTES).toString('utf8').split('\n', 1)[0]!.trim();
  const [, interpreter = '', option = ''] = /^(\S*)[ \t]*(.*)$/s.exec(line) ?? [];
  return { interpreter, option: option === '' ? undefined : option };
}

/** A program that finds libraries by its own place: `$ORIGIN` of ELF, `@loader_path` of Mach-O. */
export const loadsFromItsPlace = (content: Buffer): boolean =>
  ['$ORIGIN', '${ORIGIN}', '@loader_path', '@executable_path'].some((mark) => content.includes(mark));
