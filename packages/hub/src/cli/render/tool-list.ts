import { visible } from '../../core/visible.ts';
import type { ToolReport } from '../../client/tool-report.ts';
import type { HeldTool } from '../../client/status.ts';
import type { Style } from '../terminal/style.ts';
import { renderCallLine } from './call-line.ts';
import { fit } from './columns.ts';
import { plural } from './plural.ts';
import { firstLine } from './first-line.ts';
import { renderSignature } from './signature.ts';

const MAX_TEXT = 100;

export interface ToolListOptions {
  readonly style: Style;
  /** Servers whose tools are those of an earlier time, and how they are now. */
  readonly stale: ReadonlyMap<string, string>;
  readonly held: readonly HeldTool[];
}

/** Signature, first line of the description, and a line to copy, for each tool, server by server. */
export function renderToolList(tools: readonly ToolReport[], options: ToolListOptions): string {
  const { style, stale, held } = options;
  const byServer = Map.groupBy(tools, ({ server }) => server);
  const servers = new Set([...byServer.keys(), ...held.map(({ server }) => server)]);
  const parts = [...servers].flatMap((server) => {
    const ofServer = byServer.get(server) ?? [];
    const state = stale.get(server);
    const mark = state === undefined ? '' : style.yellow(` as it was last heard; now: ${state}`);
    return [
      `${style.bold(server)} ${style.dim(`(${plural(ofServer.length, 'tool')})`)}${mark}`,
      '',
      ...ofServer.flatMap((tool) => [...renderTool(tool, style), '']),
      ...renderHeld(
        server,
        held.filter((tool) => tool.server === server),
        style,
      ),
    ];
  });
  return `${parts.join('\n')}\n`.replace(/\n\n$/, '\n');
}

function renderHeld(server: string, held: readonly HeldTool[], style: Style): string[] {
  if (held.length === 0) return [];
  const lines = held.map(
    ({ tool, why }) =>
      `  ${style.yellow('!')} ${visible(tool)} ${style.dim(`is held: it ${why === 'new' ? 'is new' : 'has changed'}`)}`,
  );
  return [...lines, `    ${style.dim(`$ pincer accept ${server}`)}`, ''];
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
