/** Tools that wait for a person: what was accepted beside what is offered now. */
import { acceptCommand } from '../../core/trust/accept-command.ts';
import type { DefinitionChange } from '../../core/trust/definition-diff.ts';
import { visible } from '../../core/visible.ts';
import type { HeldReport } from '../../client/held-tools.ts';
import type { Style } from '../terminal/style.ts';
import { columns } from './columns.ts';
import { plural } from './plural.ts';

export function renderHeldList(held: readonly HeldReport[], style: Style): string {
  if (held.length === 0) return 'Nothing is held: every tool is as you accepted it.\n';
  const rows = held.map(({ server, tool, why, changes }) => [
    style.yellow('!'),
    style.bold(visible(`${server}.${tool}`)),
    why === 'new' ? 'new' : `changed: ${visible(changes.map(({ path }) => path || 'all of it').join(', '))}`,
  ]);
  const [first] = held;
  return `${[...columns(rows), '', `${plural(held.length, 'tool')} held. Look, then accept: ${acceptCommand(first!.server, first!.tool)}`].join('\n')}\n`;
}

/** Texts come ready to be shown: what is hidden in them is spelled out. */
export function renderHeldTool({ server, tool, why, changes }: HeldReport, style: Style): string {
  const title = `${style.bold(visible(`${server}.${tool}`))} ${why === 'new' ? 'is new' : 'has changed'}`;
  const lines = changes.flatMap((change) =>
    why === 'new' ? renderMember(change) : renderChange(change, style),
  );
  return `${[title, ...lines].join('\n')}\n`;
}

/** Of something new there is nothing to compare. */
function renderMember({ path, after = '' }: DefinitionChange): string[] {
  const [first = '', ...rest] = after.split('\n');
  return [`  ${visible(path)}: ${first}`, ...rest.map((line) => `    ${line}`)];
}

function renderChange({ path, line, before, after }: DefinitionChange, style: Style): string[] {
  const where = line === undefined ? '' : style.dim(` from line ${line}`);
  const title = `  ${visible(path === '' ? 'the whole definition' : path)}${where}`;
  return [title, ...linesOf(before, '  -', style.red), ...linesOf(after, '  +', style.green)];
}

const linesOf = (text: string | undefined, mark: string, paint: (text: string) => string): string[] =>
  text === undefined ? [] : text.split('\n').map((line) => `  ${paint(`${mark} ${line}`)}`);
