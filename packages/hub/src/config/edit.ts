/** Changes to config.json that keep the person's comments and formatting. */
import { readFileSync } from 'node:fs';
import { applyEdits, modify, parse, type ParseError } from 'jsonc-parser';
import { PincerError } from '../core/errors.ts';

const FORMAT = { formattingOptions: { insertSpaces: true, tabSize: 2 } };

/** The file's text with `servers.<name>` set, or taken out when `server` is undefined. */
export function editServer(path: string, name: string, server: object | undefined): string {
  const text = readText(path);
  const errors: ParseError[] = [];
  parse(text, errors, { allowTrailingComma: true });
  if (errors.length > 0)
    throw new PincerError('CONFIG_INVALID', `${path} uses JSON5 that Pincer does not edit by itself.`, {
      hint: `Add it by hand under "servers": ${JSON.stringify({ [name]: server })}`,
    });
  return applyEdits(text, modify(text, ['servers', name], server, FORMAT));
}

function readText(path: string): string {
  try {
    const text = readFileSync(path, 'utf8');
    return text.trim() === '' ? '{}\n' : text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '{}\n';
    throw new PincerError('CONFIG_UNREADABLE', `The configuration ${path} cannot be read.`, { cause: error });
  }
}
