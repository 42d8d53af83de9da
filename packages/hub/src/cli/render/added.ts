import { visible } from '../../core/visible.ts';
import type { ToolReport } from '../../client/tool-report.ts';
import type { Style } from '../terminal/style.ts';
import { columns, fit } from './columns.ts';
import { plural } from './plural.ts';
import { firstLine } from './first-line.ts';

const MAX_TEXT = 76;

export function renderAdded(name: string, tools: readonly ToolReport[], style: Style): string {
  const title = `${style.green('●')} ${style.bold(name)} is connected: ${plural(tools.length, 'tool')}.`;
  const rows = columns(
    tools.map((tool) => [
      `  ${visible(tool.name)}`,
      style.dim(fit(firstLine(tool.definition.description), MAX_TEXT)),
    ]),
  );
  const next = tools.length === 0 ? [] : ['', `Next: pincer tools ${name}`];
  return [title, ...rows, ...next, ''].join('\n');
}
