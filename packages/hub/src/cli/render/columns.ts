/** Plain columns, two blanks apart. The last one is not padded. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, widthOf(cell));
  return rows.map((row) =>
    row
      .map((cell, index) =>
        index === row.length - 1 ? cell : cell + ' '.repeat(widths[index]! - widthOf(cell)),
      )
      .join('  ')
      .trimEnd(),
  );
}

// oxlint-disable-next-line no-control-regex -- colours take no room
const widthOf = (cell: string): number => cell.replaceAll(/\u001b\[\d+m/g, '').length;

/** The beginning of a text that fits, marked where it was cut. */
export const fit = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
