import type { Scopes } from '../../core/caller.ts';
import { visible } from '../../core/visible.ts';
import type { Style } from '../terminal/style.ts';
import type { AppReport } from '../token/app-tokens.ts';
import { columns } from './columns.ts';

export interface ClientReport {
  readonly name: string;
  readonly kind: 'client';
  readonly scopes: Scopes;
  /** ISO 8601. */
  readonly createdAt: string;
}

export type TokenReport = ClientReport | AppReport;

export function renderTokenList(tokens: readonly TokenReport[], style: Style): string {
  if (tokens.length === 0)
    return 'No tokens besides the one in mcp-token.txt. Make one:\n  pincer token add laptop --read-only\n';
  const head = ['NAME', 'KIND', 'CREATED', 'MAY USE'].map((title) => style.dim(title));
  const rows = tokens.map((token) => [
    style.bold(visible(token.name)),
    token.kind,
    token.kind === 'client' ? token.createdAt.slice(0, 10) : '',
    token.kind === 'client' ? describeScopes(token.scopes) : describeApp(token),
  ]);
  return `${columns([head, ...rows]).join('\n')}\n`;
}

function describeScopes({ servers, tools, readOnly, approve }: Scopes): string {
  const places = [
    ...(servers === undefined ? [] : [`servers ${servers.join(', ')}`]),
    ...(tools === undefined ? [] : [`tools ${tools.join(', ')}`]),
  ];
  const what = places.length === 0 ? 'everything' : places.join(' and ');
  return visible(
    `${what}${readOnly === true ? ', read-only' : ''}${approve === true ? ', may approve its own calls' : ''}`,
  );
}

const describeApp = ({ origins }: AppReport): string =>
  visible(`the app proxy${origins.length === 0 ? '' : `, from pages of ${origins.join(', ')}`}`);
