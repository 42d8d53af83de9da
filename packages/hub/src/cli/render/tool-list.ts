import type { ToolReport } from '../call/find-tool.ts';
import type { Style } from '../style.ts';
import { renderCallLine } from './call-line.ts';
import { fit } from './columns.ts';
import { plural } from './plural.ts';
import { firstLine } from './first-line.ts';
import { renderSignature } from './signature.ts';

const MAX_TEXT = 100;

/** Signature, first line of the description, and a line to copy, for each tool, server by server. */
export function renderToolList(tools: readonly ToolReport[], style: Style): string {
  const groups = Object.entries(Object.groupBy(tools, ({ server }) => server));
  const parts = groups.flatMap(([server, ofServer = []]) => [
    `${style.bold(server)} ${style.dim(`(${plural(ofServer.length, 'tool')})`)}`,
    '',
    ...ofServer.flatMap((tool) => [...renderTool(tool, style), '']),
  ]);
  return `${parts.join('\n')}\n`.replace(/\n\n$/, '\n');
}

function renderTool(tool: ToolReport, style: Style): string[] {
  const signature = renderSignature(tool).split('\n');
  const text = firstLine(tool.definition.description);
  const lines = signature.map((line) => `  ${line}`);
  const marks = marksOf(tool);
  if (text !== '' || marks !== '')
    lines.push(`    ${fit(text, MAX_TEXT)}${marks === '' ? '' : style.yellow(` ${marks}`)}`.trimEnd());
  lines.push(`    ${style.dim(`$ ${renderCallLine(tool)}`)}`);
  return lines;
}

function marksOf({ definition: { annotations = {} } }: ToolReport): string {
  if (annotations['readOnlyHint'] === true) return '[read-only]';
  return annotations['destructiveHint'] === true ? '[destructive]' : '';
}
