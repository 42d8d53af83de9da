const PARAGRAPH_END = /\r?\n[^\S\n]*\r?\n/;
/** A full stop before a small letter belongs to something like "e.g." */
const SENTENCE_END = /[.!?](?=\s+[^\s\p{Ll}])|[。！？]/u;
/** Signs of Markdown at the beginning of a line. */
const HEADING = /^[#>*\s-]+/;

/** The first sentence of a description on one line, of at most `maxChars` characters. */
export function firstSentence(description: string, maxChars: number): string {
  const paragraph = description.trim().split(PARAGRAPH_END, 1)[0]!;
  const line = paragraph.replace(HEADING, '').replaceAll(/\s+/g, ' ').trim();
  const end = SENTENCE_END.exec(line);
  const sentence = end === null ? line : line.slice(0, end.index + 1);
  return sentence.length <= maxChars ? sentence : `${sentence.slice(0, maxChars - 1).trimEnd()}…`;
}
