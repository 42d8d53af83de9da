import { basename } from 'node:path';
import {
  ask,
  inChatTerms,
  visible,
  type HubStatus,
  type ResourceClash,
  type ServerReport,
} from 'pincer/client';
import { authText, cut, plural, statusText, targetText } from '../render.ts';
import { never, type Subcommand } from '../subcommand.ts';

export const servers: Subcommand = {
  name: 'servers',
  usage: '',
  summary: 'all servers, and what needs your attention',
  flags: {},
  least: 0,
  most: 0,
  changes: never,
  async run(_given, { hub: open, notices, now }) {
    const hub = await open();
    const [status, clashes] = await Promise.all([ask(hub, 'GET status'), ask(hub, 'GET clashes')]);
    const needs = renderNeeds(status, clashes, notices());
    const list = status.servers.length === 0 ? NONE : renderServerList(status, now());
    return {
      lines: list,
      last: needs.length === 0 ? [] : ['', ...needs],
      more: (left) => `… ${left} more lines: openclaw pincer list`,
    };
  },
};

const NONE = [
  'There are no MCP servers yet.',
  'Add a remote server: /mcp connect https://example.com/mcp',
  'Add a program on this machine: openclaw pincer add NAME -- COMMAND ARGUMENTS',
];

const RULE = '─'.repeat(58);
const MIN_NAME = 14;
const MAX_NAME = 64;
const MAX_TARGET = 80;
/** For a misconfigured server the reason matters more than its target. */
const MAX_WRONG_TARGET = 40;

/** The documented layout: a title, a rule, two lines per server, a rule. */
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

/** An invalid server may have any name. */
const nameText = (name: string): string => cut(visible(name), MAX_NAME);

/** The error in its settings and the hint. Shows only the file name, because a chat is narrow. */
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

const MAX_REASON = 300;

export function renderNeeds(
  status: HubStatus,
  clashes: readonly ResourceClash[],
  notices: readonly string[],
): string[] {
  return [
    ...status.servers.flatMap(serverNeed),
    ...heldNeeds(status),
    ...approvalNeed(status),
    ...(status.configProblem === undefined
      ? []
      : [`The current configuration file is invalid and not used: ${reason(status.configProblem)}`]),
    ...sectionNeeds(status),
    ...clashNeeds(clashes),
    ...notices,
  ];
}

function serverNeed(server: HubStatus['servers'][number]): string[] {
  const { name, state, auth, error, isMisconfigured } = server;
  // Its error is shown in the list.
  if (isMisconfigured === true) return [];
  if (state === 'needs-sign-in')
    return [
      auth?.kind === 'api-key'
        ? `${name} does not accept its API key: /mcp status ${name}`
        : `${name} needs a sign-in: /mcp auth ${name}`,
    ];
  if (state === 'stopped') return [`${name} was disconnected. To reconnect: /mcp refresh ${name}`];
  if (error === undefined || state === 'ready' || state === 'disabled') return [];
  return [`${name}: ${reason(error.message)} More: /mcp status ${name}`];
}

/** Invalid settings other than those of servers. */
const sectionNeeds = ({ problems = [] }: HubStatus): string[] =>
  problems
    .filter(({ section, name }) => section !== 'servers' || name === undefined)
    .map(({ message, effect = '' }) => reason(`${message} ${effect}`.trim()));

const heldNeeds = ({ held = [] }: HubStatus): string[] =>
  [...Map.groupBy(held, ({ server }) => server)].map(
    ([server, tools]) =>
      `${plural(tools.length, 'tool')} of ${server} ${tools.length === 1 ? 'waits' : 'wait'} for you to accept ${tools.length === 1 ? 'it' : 'them'}: /mcp accept ${server}`,
  );

const approvalNeed = ({ approvals = 0 }: HubStatus): string[] =>
  approvals === 0
    ? []
    : [
        `${plural(approvals, 'call')} ${approvals === 1 ? 'waits' : 'wait'} for your approval: /mcp approvals`,
      ];

/** One line for each group of servers that offer the same resources. */
const clashNeeds = (clashes: readonly ResourceClash[]): string[] =>
  [...Map.groupBy(clashes, ({ servers }) => servers.join(' and '))].map(([names, alike]) => {
    const what = alike.length === 1 ? visible(alike[0]!.uri) : plural(alike.length, 'resource');
    return `${cut(what, MAX_REASON)} ${alike.length === 1 ? 'is' : 'are'} offered by ${names}: ${alike[0]!.servers[0]} answers.`;
  });

const reason = (text: string): string => cut(visible(inChatTerms(text)), MAX_REASON);
