/** Changes to config.json that keep the person's comments and formatting. */
import { applyEdits, modify, parse, type ParseError } from 'jsonc-parser';
import { PincerError } from '../core/errors.ts';
import { readConfigText } from './read-file.ts';

const FORMAT = { formattingOptions: { insertSpaces: true, tabSize: 2 } };

/** The file's text with `servers.<name>` set. */
export function editServer(path: string, name: string, server: object): string {
  const text = readConfigText(path);
  const errors: ParseError[] = [];
  const config = parse(text, errors, { allowTrailingComma: true }) as
    | { servers?: Record<string, unknown> }
    | undefined;
  if (errors.length > 0)
    throw new PincerError('CONFIG_INVALID', `${path} uses JSON5 that Pincer does not edit by itself.`, {
      hint: `Add it by hand under "servers": ${JSON.stringify({ [name]: server })}`,
    });
  if (config?.servers !== undefined && Object.hasOwn(config.servers, name))
    throw new PincerError('SERVER_EXISTS', `A server "${name}" is configured already.`, {
      hint: `Choose another name, or change it in ${path}.`,
    });
  return applyEdits(text, modify(text, ['servers', name], server, FORMAT));
}
