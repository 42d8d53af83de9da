import { visible, type ToolReport } from 'pincer/client';
import type { Answer } from './answer.ts';
import { plural } from './plural.ts';

const MAX_NAMES = 12;

export function renderConnected(name: string, tools: readonly ToolReport[]): Answer {
  const names = tools.slice(0, MAX_NAMES).map((tool) => `  ${visible(tool.exposed ?? tool.name)}`);
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
