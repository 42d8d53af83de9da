import { visible } from '../../core/visible.ts';
import type { ServerRow } from '../servers/rows.ts';
import type { Style } from '../terminal/style.ts';
import { columns, fit } from './columns.ts';
import { renderHint } from './text.ts';
import { plural } from '../../lib/text.ts';
import { stateWord } from '../../control/client/state-word.ts';
import type { ServerState } from '../../servers/source.ts';
import type { ReportedAuth } from '../../control/contract/status.ts';
import { renderSpan } from './time.ts';
import type { OfferReport } from '../../control/contract/servers.ts';

/** Limit for a target if the output has no width. */
const MAX_TARGET = 60;

/** A line per server, its error below it, and a summary at the end. */
export function renderServerList(rows: readonly ServerRow[], style: Style, width?: number): string {
  if (rows.length === 0)
    return [
      'No servers yet. Add one:',
      '  pincer add docs https://example.com/mcp',
      '  pincer add everything -- npx -y @modelcontextprotocol/server-everything',
      '',
    ].join('\n');
  const now = Date.now();
  // The SIGN-IN column is shown only if a server uses authentication; most do not.
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

/** `12`, `12 (2 held)`, or `-` if the tools are not listed yet. */
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

interface Sign {
  readonly symbol: string;
  readonly colour: 'green' | 'yellow' | 'red' | 'dim';
}

/** A state that only the command line knows. */
type OwnState = 'not-loaded';

const SIGNS: Readonly<Record<ServerState | OwnState, Sign>> = {
  idle: { symbol: '○', colour: 'dim' },
  connecting: { symbol: '◌', colour: 'yellow' },
  ready: { symbol: '●', colour: 'green' },
  backoff: { symbol: '✗', colour: 'red' },
  stopped: { symbol: '○', colour: 'dim' },
  'needs-sign-in': { symbol: '!', colour: 'yellow' },
  disabled: { symbol: '-', colour: 'dim' },
  failed: { symbol: '✗', colour: 'red' },
  'not-loaded': { symbol: '!', colour: 'yellow' },
};

/** Colour is never the only sign: the symbol shows the same. */
export function stateSymbol(state: string, style: Style): string {
  // A hub of another version may report an unknown state.
  const known = Object.hasOwn(SIGNS, state) ? SIGNS[state as keyof typeof SIGNS] : undefined;
  return known === undefined ? '?' : style[known.colour](known.symbol);
}

/** `API key`, `OAuth (expires in 2 h)`; undefined without authentication. */
function authText(auth: ReportedAuth | undefined, now: number): string | undefined {
  if (auth === undefined || auth.kind === 'none') return undefined;
  if (auth.kind === 'api-key') return auth.needsSignIn === true ? 'API key (refused)' : 'API key';
  if (auth.needsSignIn === true) return 'OAuth (sign-in needed)';
  if (auth.isPerCaller === true) return 'OAuth (each caller)';
  return auth.expiresAt === undefined ? 'OAuth' : `OAuth (${expiry(auth.expiresAt, now)})`;
}

const expiry = (at: number, now: number): string =>
  at <= now ? 'expired' : `expires in ${renderSpan(at - now)}`;

/** The authentication of one server in full. */
export function authFact(auth: ReportedAuth | undefined, now: number): string | undefined {
  const text = authText(auth, now);
  if (text === undefined || auth?.kind !== 'oauth' || auth.needsSignIn === true) return text;
  const renewed = auth.isRenewable === true ? ', renewed automatically' : '';
  const scopes = auth.scopes === undefined || auth.scopes.length === 0 ? '' : `: ${auth.scopes.join(' ')}`;
  return `${text}${renewed}${scopes}`;
}

/** `12 tools, 4 prompts, 10 resources`. */
export function countOffer({ tools, prompts, resources, templates }: OfferReport): string {
  const others = [
    [prompts.length, 'prompt'],
    [resources.length, 'resource'],
    [templates.length, 'resource template'],
  ] as const;
  const shown = others.filter(([count]) => count > 0).map(([count, noun]) => plural(count, noun));
  return [plural(tools.length, 'tool'), ...shown].join(', ');
}

/** `server-everything 1.0.0`: the server's name for itself. */
export const selfName = ({ serverInfo }: OfferReport): string =>
  visible([serverInfo?.name, serverInfo?.version].filter((part) => typeof part === 'string').join(' '));
