/** Parses the text of a configuration file. Errors contain the line. */
import JSON5 from 'json5';
import { parse as parseTomlText, TomlError } from 'smol-toml';
import { messageOf, PincerError } from '../../core/errors.ts';

/** Accepts JSON5, because each client accepts some of it, such as comments or trailing commas. */
export function parseJson(text: string, file: string): unknown {
  const plain = withoutMark(text);
  if (plain.trim() === '') return {};
  try {
    return JSON.parse(plain) as unknown;
  } catch {
    // Not plain JSON. JSON5 is slower, but reports the position of an error.
  }
  try {
    return JSON5.parse(plain);
  } catch (error) {
    const { lineNumber } = error as { lineNumber?: unknown };
    const reason = messageOf(error).replace(/^JSON5: (.*?)(?: at \d+:\d+)?$/s, '$1');
    throw broken(file, typeof lineNumber === 'number' ? lineNumber : 1, 'JSON', reason);
  }
}

export function parseToml(text: string, file: string): unknown {
  try {
    return parseTomlText(withoutMark(text));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split('\n', 1)[0]!.replace(/^Invalid TOML document: /, '');
    throw broken(file, error.line, 'TOML', reason);
  }
}

/** Some editors write a byte order mark. */
const withoutMark = (text: string): string => text.replace(/^\uFEFF/, '');

// oxlint-disable-next-line max-params -- a place and what is wrong there
const broken = (file: string, line: number, format: string, reason: string): PincerError =>
  new PincerError('CONFIG_INVALID', `${file}, line ${line}: not ${format}: ${reason}.`, {
    hint: 'Correct the file at that line.',
    data: { file, line },
  });
