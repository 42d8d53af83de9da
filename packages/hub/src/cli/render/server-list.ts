import { visible } from '../../core/visible.ts';
import type { ServerRow } from '../servers/rows.ts';
import type { Style } from '../terminal/style.ts';
import { authText } from './auth-text.ts';
import { columns, fit } from './columns.ts';
import { renderHint } from './hint.ts';
import { plural } from './plural.ts';
import { stateWord } from '../../control/client/state-word.ts';
import { stateSymbol } from './state-symbol.ts';

/** Where the width of a line is nobody's. */
const MAX_TARGET = 60;

/** A line per server, its error below it, and a sum at the end. */
export function renderServerList(rows: readonly ServerRow[], style: Style, width?: number): string {
  if (rows.length === 0)
    return [
      'No servers yet. Add one:',
      '  pincer add docs https://example.com/mcp',
      '  pincer add everything -- npx -y @modelcontextprotocol/server-everything',
      '',
    ].join('\n');
  const now = Date.now();
  // Most servers want to know nothing of who asks: then nothing is said of it.
  const auths = rows.map(({ auth }) => authText(auth, now));
  const hasAuth = auths.some((text) => text !== undefined);
  const titles = ['', 'NAME', 'STATE', 'TOOLS', ...(hasAuth ? ['SIGN-IN'] : []), 'TRANSPORT', 'TARGET'];
  const head = titles.map((title) => style.dim(title));
  const table = columns(
    [
      head,
      ...rows.map((row, index) => [
        stateSymbol(row.state, style),
        style.bold(visible(row.name)),
        stateWord(row.state, row.transport, row.pid),
        toolCount(row),
        ...(hasAuth ? [auths[index] ?? '-'] : []),
        row.transport,
        visible(fit(row.target, MAX_TARGET)),
      ]),
    ],
    width,
  );
  const lines = rows.flatMap((row, index) => [table[index + 1]!, ...renderError(row, style)]);
  return [table[0]!, ...lines, '', renderSum(rows), ''].join('\n');
}

/** `12`, `12 (2 held)`, or `-` where nobody has asked. */
export const toolCount = ({ tools, held = 0 }: ServerRow): string =>
  tools === undefined ? '-' : held === 0 ? String(tools) : `${tools} (${held} held)`;

export function renderError({ error }: Pick<ServerRow, 'error'>, style: Style): string[] {
  if (error === undefined) return [];
  return [`   ${style.red(visible(error.message))}`, ...renderHint(error.hint, style)];
}

function renderSum(rows: readonly ServerRow[]): string {
  const words = rows.map(({ state, transport }) => stateWord(state, transport).toLowerCase());
  const counts = Object.entries(Object.groupBy(words, (word) => word)).map(
    ([word, all]) => `${all!.length} ${word}`,
  );
  return `${plural(rows.length, 'server')}: ${counts.join(', ')}.`;
}
