/** An answer as a chat takes it: OpenClaw reads it as Markdown, and channels cut what is long. */
import { visible } from 'pincer/client';

export interface Answer {
  /** Each of one line, ready to be shown. */
  readonly lines: readonly string[];
  /** What was left out because there was no room, and how it is seen. */
  readonly more?: (left: number) => string;
  /** Stands below, however long the rest is. */
  readonly last?: readonly string[];
  /** Links for the person to open. They stand outside of the block, where they can be clicked. */
  readonly links?: readonly string[];
}

/** Telegram takes 4,096 characters, with what it adds. */
export const MAX_CHARACTERS = 3_800;
const MAX_LINE = 400;
const MAX_LAST = 12;

const FENCE = '```';

/**
 * In a block nothing is Markdown: columns stay columns, and no text of a server becomes a link that says one thing and
 * opens another. A model is given the same without the block.
 */
export function renderAnswer(answer: Answer, reader: 'person' | 'model'): string {
  const links = (answer.links ?? []).map(plainLink);
  const room = MAX_CHARACTERS - links.join('\n').length - 2 * FENCE.length - 4;
  const body = fitted(answer, room).join('\n');
  const block = reader === 'model' ? body : `${FENCE}\n${body}\n${FENCE}`;
  return [block, ...links].join('\n');
}

/** Whether the whole of it is shown. */
export const fits = (lines: readonly string[]): boolean =>
  lines.every((line) => line.length <= MAX_LINE) && lines.join('\n').length <= MAX_CHARACTERS - 200;

function fitted({ lines, more = leftOut, last = [] }: Answer, room: number): string[] {
  const end = last.slice(0, MAX_LAST).map((line) => cut(withoutFence(line), MAX_LINE));
  if (last.length > MAX_LAST) end.push(leftOut(last.length - MAX_LAST));
  return [...cutLines(lines, more, room - end.join('\n').length - 1), ...end];
}

function cutLines(lines: readonly string[], more: (left: number) => string, room: number): string[] {
  const shown = lines.map((line) => cut(withoutFence(line), MAX_LINE));
  if (shown.join('\n').length <= room) return shown;
  const kept: string[] = [];
  let used = withoutFence(more(lines.length)).length + 1;
  for (const line of shown) {
    used += line.length + 1;
    if (used > room) break;
    kept.push(line);
  }
  return [...kept, withoutFence(more(lines.length - kept.length))];
}

const leftOut = (left: number): string => `… ${left} more lines`;

/** The beginning of a text that fits, marked where it was cut. */
export const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).trimEnd()}…`;

/** Nothing in a block ends it. */
const withoutFence = (line: string): string =>
  line.replaceAll(/`{3,}|~{3,}/g, (run) => visibleCode(run[0]!).repeat(run.length));

const visibleCode = (char: string): string => `\\u${char.codePointAt(0)!.toString(16).padStart(4, '0')}`;

/** The same address in characters that no channel takes for emphasis or for its end. */
const plainLink = (link: string): string =>
  visible(link).replaceAll(
    /[_*~`|!()[\]<>\\]/g,
    (char) => `%${char.codePointAt(0)!.toString(16).toUpperCase()}`,
  );
