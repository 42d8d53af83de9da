/** Writes results to stdout and everything else to stderr. */
import { hasCode } from '../../core/errors.ts';
import { plainJson } from '../../core/plain-json.ts';
import { visibleBlock } from '../../core/visible.ts';
import { COLOUR_CODES } from './style.ts';

/** Moves the cursor to the start of the line and erases it. */
export const ERASE_LINE = '\r\u001b[K';

export function print(text: string): void {
  write(process.stdout, text);
}

export function note(text: string): void {
  write(process.stderr, text);
}

/** Prints the document of `--json`. */
export function printJson(value: object): void {
  printJsonText(`${JSON.stringify(value, undefined, 2)}\n`);
}

export function printJsonText(text: string): void {
  print(plainJson(text));
}

function write(stream: NodeJS.WriteStream, text: string): void {
  if (text === '') return;
  // `pincer tools | head` closes the pipe early, which is not an error.
  if (stream.listenerCount('error') === 0) stream.on('error', ignoreClosedPipe);
  stream.write(stream.isTTY ? forTerminal(text) : text);
}

function ignoreClosedPipe(error: Error): void {
  if (!hasCode(error, 'EPIPE')) throw error;
}

/** The only control sequences that reach a terminal. All others could move the cursor or hide text, so they are escaped. */
const KNOWN_COLOURS = new RegExp(`(\u001B\\[(?:${COLOUR_CODES.join('|')})m)`);

export const forTerminal = (text: string): string =>
  text
    .split(KNOWN_COLOURS)
    .map((part, index) => (index % 2 === 1 ? part : visibleBlock(part)))
    .join('');
