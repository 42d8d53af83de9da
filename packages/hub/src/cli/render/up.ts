import type { NodeReport } from '../../client/device-report.ts';
import type { HubEndpoints } from '../../owner/hub-file.ts';
import type { Style } from '../terminal/style.ts';
import { shellWord } from '../../core/shell-word.ts';
import { renderNode } from './device.ts';

export interface UpFacts {
  readonly version: string;
  readonly endpoints: HubEndpoints;
  readonly tokenFile: string;
  readonly servers: readonly string[];
  /** How it stands with the gateway, where this machine is a node of one. */
  readonly node?: NodeReport | undefined;
  /** How this program is called where the person is. */
  readonly program: string;
}

/** Where everything is, and the next step. */
export function renderUp(facts: UpFacts, style: Style): string {
  const { version, endpoints, tokenFile, servers, node, program } = facts;
  const row = (label: string, value: string, remark = ''): string =>
    `  ${style.dim(label.padEnd(8))} ${value}${remark === '' ? '' : style.dim(`  ${remark}`)}`;
  const metrics = endpoints.health.replace(/health$/, 'metrics');
  return [
    `${style.bold(`Pincer ${version} is running.`)} Ctrl+C stops it.`,
    '',
    row('MCP', endpoints.mcp.padEnd(endpoints.mcp.length + '/NAME'.length), 'all servers'),
    row('', `${endpoints.mcp}/NAME`, 'one server, under its own tool names'),
    ...(endpoints.device === undefined
      ? []
      : [row('Device', endpoints.device, 'what this machine can do: pincer device')]),
    ...(node === undefined ? [] : [row('Node', renderNode(node))]),
    ...(endpoints.proxy === undefined
      ? []
      : [row('Apps', `${endpoints.proxy}/v1/chat/sessions`, 'where apps register their tools')]),
    row('Health', endpoints.health),
    row('Metrics', metrics),
    row('Token', tokenFile),
    '',
    'Connect Claude Code:',
    `  ${claudeCommand(endpoints.mcp, tokenFile)}`,
    '',
    ...nextStep(servers, program),
    '',
  ].join('\n');
}

/** The app proxy alone. */
export function renderProxy({ version, endpoints, tokenFile, program }: UpFacts, style: Style): string {
  const { proxy = '' } = endpoints;
  const row = (label: string, value: string, remark = ''): string =>
    `  ${style.dim(label.padEnd(8))} ${value}${remark === '' ? '' : style.dim(`  ${remark}`)}`;
  return [
    `${style.bold(`The app proxy of Pincer ${version} is running.`)} Ctrl+C stops it.`,
    '',
    row('Apps', `${proxy}/v1/chat/sessions`, 'where apps register their tools'),
    row('MCP', `${proxy}/v1/mcp/SESSION`, 'the tools of one session'),
    row('Health', `${proxy}/health`),
    row('Metrics', `${proxy}/metrics`, `token in ${tokenFile}`),
    '',
    'Give an app a token of its own:',
    `  ${program} token add NAME --app`,
    '',
  ].join('\n');
}

const claudeCommand = (url: string, tokenFile: string): string =>
  `claude mcp add --transport http pincer ${url} --header "Authorization: Bearer $(cat ${shellWord(tokenFile)})"`;

function nextStep(servers: readonly string[], program: string): string[] {
  if (servers.length > 0) return [`${servers.length === 1 ? 'Server' : 'Servers'}: ${servers.join(', ')}`];
  return [
    'No server is configured yet. Add one, from another terminal:',
    `  ${program} add everything -- npx -y @modelcontextprotocol/server-everything`,
    `  ${program} add docs https://example.com/mcp`,
  ];
}
