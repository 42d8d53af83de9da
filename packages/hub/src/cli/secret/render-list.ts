import { visible } from '../../core/visible.ts';
import { columns } from '../render/columns.ts';
import { renderHint } from '../render/hint.ts';
import type { Style } from '../terminal/style.ts';
import type { SecretRow } from './secret-rows.ts';

export function renderSecretList(rows: readonly SecretRow[], style: Style): string {
  if (rows.length === 0)
    return [
      'No secrets yet. Set one, then refer to it in the configuration as "$secret:NAME":',
      '  pincer secret set GITHUB_TOKEN',
      '',
    ].join('\n');
  const symbols = { ok: style.green('●'), unreadable: style.red('✗'), missing: style.yellow('!') };
  const head = ['', 'NAME', 'SET', 'CHANGED', 'USED BY'].map((title) => style.dim(title));
  const table = columns([
    head,
    ...rows.map(({ name, state, createdAt, updatedAt, usedBy }) => [
      symbols[state],
      style.bold(visible(name)),
      dayOf(createdAt),
      dayOf(updatedAt),
      usedBy.length === 0 ? style.dim('nothing') : visible(usedBy.join(', ')),
    ]),
  ]);
  const lines = rows.flatMap(({ problem, hint }, index) => [
    table[index + 1]!,
    ...(problem === undefined ? [] : [`   ${style.red(visible(problem))}`]),
    ...renderHint(hint, style),
  ]);
  return [table[0]!, ...lines, ''].join('\n');
}

const dayOf = (at: string | undefined): string => at?.slice(0, 10) ?? '-';
