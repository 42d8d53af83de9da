/** `/mcp servers`, in the layout that is promised: a title, a rule, two lines per server, a rule. */
import { basename } from 'node:path';
import { inChatTerms, visible, type HubStatus, type ServerReport } from 'pincer/client';
import { cut } from './answer.ts';
import { authText } from './auth-text.ts';
import { statusText } from './status-text.ts';
import { targetText } from './target-text.ts';

const RULE = '─'.repeat(58);
const MIN_NAME = 14;
const MAX_NAME = 64;
const MAX_TARGET = 80;
/** Where the reason matters more. */
const MAX_WRONG_TARGET = 40;

export function renderServerList({ servers, held = [] }: HubStatus, now: number): string[] {
  const width = Math.max(MIN_NAME, ...servers.map(({ name }) => nameText(name).length)) + 2;
  const blocks = servers.map((server) => {
    const waiting = held.filter((tool) => tool.server === server.name).length;
    const facts = `Status: ${statusText(server)} | Auth: ${authText(server.auth, now)} | Tools: ${toolsText(server, waiting)}`;
    return [
      `  ${nameText(server.name).padEnd(width)}${cut(targetText(server), maxTarget(server))}`,
      `  ${' '.repeat(width)}${facts}`,
      ...mistakeLines(server),
    ];
  });
  const rows = blocks.flatMap((block, index) => (index === 0 ? block : ['', ...block]));
  return [`MCP Servers (${servers.length} configured)`, RULE, ...rows, RULE];
}

const maxTarget = ({ isMisconfigured }: ServerReport): number =>
  isMisconfigured === true ? MAX_WRONG_TARGET : MAX_TARGET;

/** One that is wrong may be called anything. */
const nameText = (name: string): string => cut(visible(name), MAX_NAME);

/** What is wrong with its settings, and what to do: with the name of the file alone, a chat is narrow. */
function mistakeLines({ isMisconfigured, error }: ServerReport): string[] {
  if (isMisconfigured !== true || error === undefined) return [];
  const { message, hint = '', file = '', line } = error;
  const name = basename(file);
  const what = message.replace(`Line ${line} of ${file}`, `${name}, line ${line}`);
  return [what, hint]
    .filter((text) => text !== '')
    .map((text) => `    ${visible(inChatTerms(file === '' ? text : text.replaceAll(file, name)))}`);
}

function toolsText({ tools, isStale }: ServerReport, held: number): string {
  const marks = [
    ...(isStale === true && tools > 0 ? ['as last heard'] : []),
    ...(held > 0 ? [`${held} held`] : []),
  ];
  return marks.length === 0 ? String(tools) : `${tools} (${marks.join(', ')})`;
}
