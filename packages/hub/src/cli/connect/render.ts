import { visible } from '../../core/visible.ts';
import { columns, fit } from '../render/columns.ts';
import { plural } from '../render/plural.ts';
import type { Style } from '../terminal/style.ts';
import type { DiffLine } from './diff.ts';
import type { FoundClient } from './find.ts';

export function renderClients(
  clients: readonly FoundClient[],
  shorten: (path: string) => string,
  style: Style,
): string {
  const head = ['', 'CLIENT', 'NAME', 'STATE', 'FILE'].map((title) => style.dim(title));
  const rows = clients.map(({ client, file, isFound, entries }) => [
    entries !== undefined && entries.length > 0
      ? style.green('●')
      : isFound
        ? style.yellow('○')
        : style.dim('-'),
    style.bold(client.id),
    client.title,
    stateOf(isFound, entries),
    style.dim(visible(shorten(file))),
  ]);
  const found = clients.filter(({ isFound }) => isFound);
  const connected = clients.filter(({ entries }) => entries !== undefined && entries.length > 0);
  const sum = `${plural(found.length, 'client')} found, ${connected.length} connected.`;
  return [...columns([head, ...rows]), '', sum, ''].join('\n');
}

function stateOf(isFound: boolean, entries: readonly string[] | undefined): string {
  if (entries === undefined) return 'Not readable';
  if (entries.length > 0) return 'Connected';
  return isFound ? 'Not connected' : 'Not found here';
}

/** A file may be one line. */
const MAX_LINE = 200;

export const renderDiff = (lines: readonly DiffLine[], style: Style): string =>
  lines
    .map(({ sign, text }) => {
      const line = `${sign} ${visible(fit(text.replaceAll('\t', '  '), MAX_LINE))}`.trimEnd();
      return `${sign === '+' ? style.green(line) : sign === '-' ? style.red(line) : line}\n`;
    })
    .join('');
