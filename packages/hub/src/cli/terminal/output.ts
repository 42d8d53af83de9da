/** The two streams: results on stdout, everything else on stderr. */
import { hasCode } from '../../core/errors.ts';
import { plainJson } from '../../core/plain-json.ts';
import { visibleBlock } from '../../core/visible.ts';
import { COLOUR_CODES } from './style.ts';

/** For a terminal: back to the line's begin, and nothing on it. */
export const ERASE_LINE = '\r\u001b[K';

export function print(text: string): void {
  write(process.stdout, text);
}

export function note(text: string): void {
  write(process.stderr, text);
}

/** The one document of `--json`. */
export function printJson(value: object): void {
  printJsonText(`${JSON.stringify(value, undefined, 2)}\n`);
}

/** JSON that is text already. */
export function printJsonText(text: string): void {
  print(plainJson(text));
}

function write(stream: NodeJS.WriteStream, text: string): void {
  if (text === '') return;
  // `pincer tools | head` closes the pipe early; that is no failure of ours.
  if (stream.listenerCount('error') === 0) stream.on('error', ignoreClosedPipe);
  stream.write(stream.isTTY ? forTerminal(text) : text);
}

function ignoreClosedPipe(error: Error): void {
  if (!hasCode(error, 'EPIPE')) throw error;
}

/** The last look at a text before a terminal obeys it: of what could move or hide something, only our own colours stay. */
const OUR_COLOURS = new RegExp(`(\u001B\\[(?:${COLOUR_CODES.join('|')})m)`);

export const forTerminal = (text: string): string =>
  text
    .split(OUR_COLOURS)
    .map((part, index) => (index % 2 === 1 ? part : visibleBlock(part)))
    .join('');
