/** Plain columns, two blanks apart. The last one is not padded, and cut where the line would not fit. */
export function columns(rows: readonly (readonly string[])[], width = Number.POSITIVE_INFINITY): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, widthOf(cell));
  return rows.map((row) => {
    const before = row.slice(0, -1).map((cell, index) => cell + ' '.repeat(widths[index]! - widthOf(cell)));
    const start = before.reduce((sum, cell) => sum + widthOf(cell) + GAP.length, 0);
    const last = row.at(-1) ?? '';
    // What is painted is short; what somebody else wrote may be long.
    const shown = widthOf(last) === last.length ? fit(last, Math.max(MIN_LAST, width - start)) : last;
    return [...before, shown].join(GAP).trimEnd();
  });
}

const GAP = '  ';
/** A terminal that leaves less room than this has to wrap. */
const MIN_LAST = 20;

// oxlint-disable-next-line no-control-regex -- colours take no room
const widthOf = (cell: string): number => cell.replaceAll(/\u001b\[\d+m/g, '').length;

/** The beginning of a text that fits, marked where it was cut. */
export const fit = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;

/** Of a terminal; what is piped is not cut. */
export const widthOfStream = ({ isTTY, columns: width }: { isTTY?: boolean; columns?: number }): number =>
  isTTY === true && width !== undefined && width > 0 ? width : Number.POSITIVE_INFINITY;
