import type { Scopes } from '../../core/caller.ts';
import { visible } from '../../core/visible.ts';
import type { Style } from '../terminal/style.ts';
import { columns } from './columns.ts';

export interface TokenReport {
  readonly name: string;
  readonly scopes: Scopes;
  /** ISO 8601. */
  readonly createdAt: string;
}

export function renderTokenList(tokens: readonly TokenReport[], style: Style): string {
  if (tokens.length === 0)
    return 'No tokens besides the one in mcp-token.txt. Make one:\n  pincer token add laptop --read-only\n';
  const head = ['NAME', 'CREATED', 'MAY USE'].map((title) => style.dim(title));
  const rows = tokens.map(({ name, scopes, createdAt }) => [
    style.bold(visible(name)),
    createdAt.slice(0, 10),
    describeScopes(scopes),
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
