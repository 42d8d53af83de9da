/** All of a text in lines of this width, cut anywhere. */
export function wrap(text: string, width: number): string[] {
  const characters = Array.from(text);
  const lines: string[] = [];
  for (let at = 0; at < characters.length; at += width) lines.push(characters.slice(at, at + width).join(''));
  return lines;
}
