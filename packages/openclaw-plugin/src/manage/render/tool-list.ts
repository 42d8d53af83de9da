import { visible, type HeldTool, type ToolReport } from 'pincer/client';
import { cut } from './answer.ts';
import { plural } from './plural.ts';

const MAX_TEXT = 90;

/** A line per tool under the name that agents call it by, server by server. */
export function renderToolList(tools: readonly ToolReport[], held: readonly HeldTool[]): string[] {
  const byServer = Map.groupBy(tools, ({ server }) => server);
  const names = new Set([...byServer.keys(), ...held.map(({ server }) => server)]);
  const blocks = [...names].map((server) => [
    `${server} (${plural(byServer.get(server)?.length ?? 0, 'tool')})`,
    ...(byServer.get(server) ?? []).map(toolLine),
    ...heldLines(
      server,
      held.filter((tool) => tool.server === server),
    ),
  ]);
  return blocks.flatMap((block, index) => (index === 0 ? block : ['', ...block]));
}

function toolLine({ name, exposed, definition }: ToolReport): string {
  const [first = ''] = textIn(definition.description).trim().split('\n', 1);
  const text = [cut(visible(first.trim()), MAX_TEXT), markOf(definition)].filter((part) => part !== '');
  return `  ${[visible(exposed ?? name), ...text].join('  ')}`;
}

function markOf({ annotations }: ToolReport['definition']): string {
  if (annotations?.['readOnlyHint'] === true) return '[read-only]';
  return annotations?.['destructiveHint'] === true ? '[destructive]' : '';
}

/** Definitions are as servers wrote them: one that is wrong must not hide the tools of the others. */
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

function heldLines(server: string, held: readonly HeldTool[]): string[] {
  if (held.length === 0) return [];
  const lines = held.map(
    ({ tool, why }) => `  ${visible(tool)} is held: it ${why === 'new' ? 'is new' : 'has changed'}`,
  );
  return [...lines, `  Look at what is held: /mcp accept ${server}`];
}
