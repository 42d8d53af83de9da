/** Renders answers for a chat, which reads Markdown and limits long texts, and texts that several commands share. */
import {
  visible,
  inChatTerms,
  PincerError,
  visibleBlock,
  stateWord,
  type ServerReport,
  type ReportedAuth,
} from 'pincer/client';

export interface Answer {
  /** Each is one line, ready to be shown. */
  readonly lines: readonly string[];
  /** The line that tells how to see the lines that did not fit. */
  readonly more?: (left: number) => string;
  /** Always shown at the end. */
  readonly last?: readonly string[];
  /** Links for the person to open, outside of the code block, so that they can be clicked. */
  readonly links?: readonly string[];
}

/** Telegram's limit is 4,096 characters including markup. */
export const MAX_CHARACTERS = 3_800;
const MAX_LINE = 400;
const MAX_LAST = 12;

const FENCE = '```';

/**
 * A person gets a code block: columns stay aligned, and text of a server cannot become a misleading link. A model gets
 * the same text without the block.
 */
export function renderAnswer(answer: Answer, reader: 'person' | 'model'): string {
  const links = (answer.links ?? []).map(plainLink);
  const room = MAX_CHARACTERS - links.join('\n').length - 2 * FENCE.length - 4;
  const body = fitted(answer, room).join('\n');
  const block = reader === 'model' ? body : `${FENCE}\n${body}\n${FENCE}`;
  return [block, ...links].join('\n');
}

/** Whether all lines would be shown in full. */
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

/** Cuts a text to a length, with a mark at its end. */
export const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).trimEnd()}…`;

/** Escapes fences, so that no line can end the block. */
const withoutFence = (line: string): string =>
  line.replaceAll(/`{3,}|~{3,}/g, (run) => visibleCode(run[0]!).repeat(run.length));

const visibleCode = (char: string): string => `\\u${char.codePointAt(0)!.toString(16).padStart(4, '0')}`;

/** Percent-encodes characters that a channel could read as markup or as the end of the link. */
const plainLink = (link: string): string =>
  visible(link).replaceAll(
    /[_*~`|!()[\]<>\\]/g,
    (char) => `%${char.codePointAt(0)!.toString(16).toUpperCase()}`,
  );

/** The message and the hint of an error. */
export function renderFailure(error: unknown): Answer {
  const { message, hint } = PincerError.from(error);
  const texts = hint === undefined ? [message] : [message, hint];
  return { lines: texts.flatMap((text) => visibleBlock(inChatTerms(text)).split('\n')) };
}

/** `Connected`, `Running (PID 48291)`, `Auth required`. */
export const statusText = ({ state, transport, pid }: ServerReport): string =>
  state === 'ready' && transport === 'stdio' && pid !== undefined
    ? `Running (PID ${pid})`
    : stateWord(state, transport);

/** The URL, or the command of a program on this machine. */
export const targetText = ({ transport, target }: ServerReport): string =>
  visible(transport === 'stdio' ? `stdio://${target}` : target);

/** `API Key`, `OAuth (expires 2h)`, `None`. */
export function authText(auth: ReportedAuth | undefined, now: number): string {
  switch (auth?.kind) {
    case 'api-key':
      return auth.needsSignIn === true ? 'API Key (refused)' : 'API Key';
    case 'oauth':
      return `OAuth${oauthState(auth, now)}`;
    case 'none':
    case undefined:
      return 'None';
  }
}

function oauthState({ needsSignIn, isPerCaller, expiresAt }: ReportedAuth, now: number): string {
  if (isPerCaller === true) return ' (one per person)';
  if (needsSignIn === true) return ' (sign-in needed)';
  if (expiresAt === undefined) return '';
  return expiresAt <= now ? ' (expired)' : ` (expires ${renderSpan(expiresAt - now)})`;
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** `2h`, `45m`, `30s`: the largest unit. */
export function renderSpan(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms >= each) ?? UNITS.at(-1)!;
  return `${Math.max(0, Math.floor(ms / size))}${unit}`;
}

/** `1 tool`, `2 tools`. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Breaks a text into lines of this width, at any character. */
export function wrap(text: string, width: number): string[] {
  const characters = Array.from(text);
  const lines: string[] = [];
  for (let at = 0; at < characters.length; at += width) lines.push(characters.slice(at, at + width).join(''));
  return lines;
}
