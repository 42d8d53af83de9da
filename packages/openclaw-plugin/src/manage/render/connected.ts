import { visible, type ToolReport } from 'pincer/client';
import { modelName } from '../../rules/tool-name.ts';
import type { Answer } from './answer.ts';
import { plural } from './plural.ts';

const MAX_NAMES = 12;

/** `key` is that of the server's entry, which agents know its tools by. */
export function renderConnected(name: string, key: string | undefined, tools: readonly ToolReport[]): Answer {
  const nameOf = (tool: ToolReport): string =>
    key === undefined ? (tool.exposed ?? tool.name) : modelName(key, tool.name);
  const names = tools.slice(0, MAX_NAMES).map((tool) => `  ${visible(nameOf(tool))}`);
  const left = tools.length - names.length;
  return {
    lines: [
      `${name} is connected: ${plural(tools.length, 'tool')}.`,
      ...names,
      ...(left > 0 ? [`  … ${left} more: /mcp tools ${name}`] : []),
      'It is kept in the configuration of Pincer.',
    ],
  };
}
