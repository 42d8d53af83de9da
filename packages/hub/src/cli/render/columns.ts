/** Aligns columns, two spaces apart. The last one is not padded, and is cut to fit the width. */
export function columns(rows: readonly (readonly string[])[], width = Number.POSITIVE_INFINITY): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, widthOf(cell));
  return rows.map((row) => {
    const before = row.slice(0, -1).map((cell, index) => cell + ' '.repeat(widths[index]! - widthOf(cell)));
    const start = before.reduce((sum, cell) => sum + widthOf(cell) + GAP.length, 0);
    const last = row.at(-1) ?? '';
    // A coloured cell is short. Only plain text, which may come from elsewhere, is cut.
    const shown = widthOf(last) === last.length ? fit(last, Math.max(MIN_LAST, width - start)) : last;
    return [...before, shown].join(GAP).trimEnd();
  });
}

const GAP = '  ';
/** Minimum width of the last column. */
const MIN_LAST = 20;

// oxlint-disable-next-line no-control-regex -- colours take no room
const widthOf = (cell: string): number => cell.replaceAll(/\u001b\[\d+m/g, '').length;

/** Cuts a text to the width and marks the cut with `…`. */
export const fit = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;

/** The width of a terminal; infinite for a pipe. */
export const widthOfStream = ({ isTTY, columns: width }: { isTTY?: boolean; columns?: number }): number =>
  isTTY === true && width !== undefined && width > 0 ? width : Number.POSITIVE_INFINITY;
