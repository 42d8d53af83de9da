import type { NodeReport } from '../../control/contract/machine.ts';
import type { ProxyReport } from '../../control/contract/status.ts';
import type { HubEndpoints } from '../../owner/hub-file.ts';
import type { Style } from '../terminal/style.ts';
import { shellWord } from '../../lib/text.ts';
import { renderNode } from './device.ts';
import { openText } from './proxy.ts';

export interface UpFacts {
  readonly version: string;
  readonly endpoints: HubEndpoints;
  readonly tokenFile: string;
  readonly servers: readonly string[];
  /** How it stands with the gateway, where this machine is a node of one. */
  readonly node?: NodeReport | undefined;
  /** Which sides of the app proxy need no token. */
  readonly open: ProxyReport['open'];
  /** How this program is called where the person is. */
  readonly program: string;
}

export interface UpOptions {
  readonly style: Style;
  readonly width: number;
}

/** What a client needs comes first: the endpoint, the token and the line that connects one. */
export function renderUp(facts: UpFacts, options: UpOptions): string {
  const { version, endpoints, tokenFile, servers, node, program } = facts;
  const { style } = options;
  const row = rowWriter(options);
  return [
    `${style.bold(`Pincer ${version} is running.`)} Ctrl+C stops it.`,
    '',
    row('MCP', endpoints.mcp, `all servers; ${endpoints.mcp}/NAME is one`, 'all servers'),
    row('Token', tokenFile),
    '',
    'Connect Claude Code:',
    ...claudeCommand(facts, options),
    `Other clients: ${program} connect`,
    '',
    ...nextStep(servers, program),
    '',
    ...(endpoints.device === undefined
      ? []
      : [row('Device', endpoints.device, `what this machine can do: ${program} device`)]),
    ...(node === undefined ? [] : [row('Node', renderNode(node))]),
    ...(endpoints.proxy === undefined
      ? []
      : [row('Apps', `${endpoints.proxy}/v1/chat/sessions`, 'where apps register their tools', 'for apps')]),
    ...openRow(facts, options),
    row('Health', endpoints.health),
    row('Metrics', endpoints.health.replace(/health$/, 'metrics')),
    '',
  ].join('\n');
}

/** The app proxy alone. */
export function renderProxy(facts: UpFacts, options: UpOptions): string {
  const { version, endpoints, tokenFile, program } = facts;
  const { proxy = '' } = endpoints;
  const row = rowWriter(options);
  return [
    `${options.style.bold(`The app proxy of Pincer ${version} is running.`)} Ctrl+C stops it.`,
    '',
    row('Apps', `${proxy}/v1/chat/sessions`, 'where apps register their tools', 'for apps'),
    row('MCP', `${proxy}/v1/mcp/SESSION`, 'the tools of one session'),
    ...openRow(facts, options),
    row('Health', `${proxy}/health`),
    row('Metrics', `${proxy}/metrics`, `token in ${tokenFile}`),
    '',
    'Give an app a token of its own:',
    `  ${program} token add NAME --app`,
    '',
  ].join('\n');
}

const LABEL = 8;

/** A row with the first of its remarks that fits into the width. */
const rowWriter =
  ({ style, width }: UpOptions) =>
  (label: string, value: string, ...remarks: string[]): string => {
    const begin = `  ${style.dim(label.padEnd(LABEL))} ${value}`;
    const used = '  '.length + LABEL + 1 + value.length + '  '.length;
    const remark = remarks.find(({ length }) => used + length <= width);
    return remark === undefined ? begin : `${begin}  ${style.dim(remark)}`;
  };

function openRow({ open, program }: UpFacts, { style }: UpOptions): string[] {
  const text = openText({ open }, { style, program });
  return text === undefined ? [] : [`  ${' '.repeat(LABEL)} ${text}`];
}

/** One command for the shell, in two lines where one would not fit. */
function claudeCommand({ endpoints, tokenFile }: UpFacts, { width }: UpOptions): string[] {
  const command = `  claude mcp add --transport http pincer ${endpoints.mcp}`;
  const header = `--header "Authorization: Bearer $(cat ${shellWord(tokenFile)})"`;
  const line = `${command} ${header}`;
  return line.length <= width ? [line] : [`${command} \\`, `    ${header}`];
}

function nextStep(servers: readonly string[], program: string): string[] {
  if (servers.length > 0) return [`${servers.length === 1 ? 'Server' : 'Servers'}: ${servers.join(', ')}`];
  return [
    'No server is configured yet. Add one, from another terminal:',
    `  ${program} add everything -- npx -y @modelcontextprotocol/server-everything`,
    `  ${program} add docs https://example.com/mcp`,
  ];
}
