/** All of a text in lines of this width, cut anywhere; no character of it is lost or added. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const char of text) {
    const room = roomOf(char);
    if (used + room > width && line !== '') {
      lines.push(line);
      line = '';
      used = 0;
    }
    line += char;
    used += room;
  }
  return [...lines, line];
}

/** From Hangul on there are letters and pictures that take two columns. Rather a short line than one that a terminal wraps. */
const roomOf = (char: string): number => (char.codePointAt(0)! < 0x11_00 ? 1 : 2);
