export interface ToolFilter {
  /** Absent: all. */
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
}

/** What is excluded is excluded, even if it is included. */
export const passesFilter = ({ include, exclude }: ToolFilter, tool: string): boolean =>
  (include === undefined || include.some((pattern) => fits(pattern, tool))) &&
  !exclude?.some((pattern) => fits(pattern, tool));

/** A `*` stands for any characters, or none. */
function fits(pattern: string, name: string): boolean {
  const pieces = pattern.split('*');
  const first = pieces[0]!;
  if (pieces.length === 1) return name === pattern;
  const last = pieces.at(-1)!;
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last))
    return false;
  const end = name.length - last.length;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = name.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}
