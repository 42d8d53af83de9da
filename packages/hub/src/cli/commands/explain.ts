/** `pincer explain`: prints the section of docs/errors.md about a code, from the copy shipped with the program. */
import { readFileSync } from 'node:fs';
import { ERROR_CODES, PincerError } from '../../core/errors.ts';
import { closest } from '../../lib/text.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { print, printJson } from '../terminal/output.ts';

export const command = defineCommand({
  usage: '[CODE]',
  description:
    'Explains what an error code means, when it happens and what to do. Without a code, lists all codes.',
  arguments: [['[code]', 'such as PORT_BUSY, in upper or lower case']],
  run: ({ words: [code] }, context) => (code === undefined ? listCodes(context) : explain(code, context)),
});

/** scripts/bundle.mjs copies it beside the bundled program. */
const PAGE = new URL('errors.md', import.meta.url);

function listCodes({ json }: Context): ExitCode {
  const codes = Object.entries(ERROR_CODES);
  const width = Math.max(...codes.map(([code]) => code.length));
  if (json) printJson({ ok: true, codes: codes.map(([code, meaning]) => ({ code, meaning })) });
  else print(codes.map(([code, meaning]) => `${code.padEnd(width)}  ${meaning}\n`).join(''));
  return EXIT.ok;
}

function explain(word: string, { json }: Context): ExitCode {
  const codes = Object.keys(ERROR_CODES);
  const code = word.toUpperCase().replaceAll('-', '_');
  if (!codes.includes(code)) {
    const near = closest(code, codes);
    throw new PincerError('USAGE', `There is no error code "${word}".`, {
      hint: near === undefined ? 'List all codes: pincer explain' : `Did you mean ${near}?`,
    });
  }
  const text = plainText(sectionOf(readFileSync(PAGE, 'utf8'), code));
  if (json) printJson({ ok: true, code, text });
  else print(`${code}\n\n${text}\n`);
  return EXIT.ok;
}

const sectionOf = (page: string, code: string): string =>
  page
    .split(/^## /m)
    .find((section) => section.startsWith(`${code}\n`))!
    .slice(code.length)
    .trim();

/** Links lead to pages that are not shipped, so only their text is kept. */
const plainText = (markdown: string): string =>
  markdown.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('**', '');
