/** `/mcp servers`, in the layout that is promised: a title, a rule, two lines per server, a rule. */
import type { HubStatus, ServerReport } from 'pincer/client';
import { cut } from './answer.ts';
import { authText } from './auth-text.ts';
import { statusText } from './status-text.ts';
import { targetText } from './target-text.ts';

const RULE = '─'.repeat(58);
const MIN_NAME = 14;
const MAX_TARGET = 80;

export function renderServerList({ servers, held = [] }: HubStatus, now: number): string[] {
  const width = Math.max(MIN_NAME, ...servers.map(({ name }) => name.length)) + 2;
  const blocks = servers.map((server) => {
    const waiting = held.filter((tool) => tool.server === server.name).length;
    const facts = `Status: ${statusText(server)} | Auth: ${authText(server.auth, now)} | Tools: ${toolsText(server, waiting)}`;
    return [
      `  ${server.name.padEnd(width)}${cut(targetText(server), MAX_TARGET)}`,
      `  ${' '.repeat(width)}${facts}`,
    ];
  });
  const rows = blocks.flatMap((block, index) => (index === 0 ? block : ['', ...block]));
  return [`MCP Servers (${servers.length} configured)`, RULE, ...rows, RULE];
}

function toolsText({ tools, isStale }: ServerReport, held: number): string {
  const marks = [
    ...(isStale === true && tools > 0 ? ['as last heard'] : []),
    ...(held > 0 ? [`${held} held`] : []),
  ];
  return marks.length === 0 ? String(tools) : `${tools} (${marks.join(', ')})`;
}
