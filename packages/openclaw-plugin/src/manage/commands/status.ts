import { ask, inChatTerms, visible, visibleBlock, type ServerReport } from 'pincer/client';
import { authText, plural, renderSpan, statusText, targetText } from '../render.ts';
import { findServer, never, type Subcommand } from '../subcommand.ts';

export const status: Subcommand = {
  name: 'status',
  usage: '<name>',
  summary: 'one server in detail',
  flags: {},
  least: 1,
  most: 1,
  changes: never,
  async run({ named: [name] }, { hub, now }) {
    const { servers, held = [] } = await ask(await hub(), 'GET status');
    const server = findServer(servers, name!);
    const waiting = held.filter((tool) => tool.server === server.name).length;
    return {
      lines: renderServerStatus(server, { held: waiting, now: now() }),
      more: (left) => `… ${left} more lines: openclaw pincer status ${server.name} --stderr`,
    };
  },
};

interface StatusOptions {
  readonly held: number;
  readonly now: number;
}

const LAST_LINES = 10;
const LABEL = 12;

export function renderServerStatus(server: ServerReport, { held, now }: StatusOptions): string[] {
  const { name, era, session, lastHeardAt, inFlight, repeated, origin, agents } = server;
  const facts: [label: string, value: string | undefined][] = [
    [server.transport === 'stdio' ? 'Command' : 'Address', targetText(server)],
    ['Auth', authDetail(server, now)],
    ['Tools', toolsDetail(server, now)],
    ['Held', held === 0 ? undefined : `${plural(held, 'tool')} until you accept: /mcp accept ${name}`],
    ['Protocol', era],
    ['Session', session === undefined ? undefined : `${visible(session)}…`],
    ['Last heard', lastHeardAt === undefined ? undefined : `${renderSpan(now - lastHeardAt)} ago`],
    ['Running', inFlight === undefined ? undefined : plural(inFlight, 'call')],
    ['Retried', repeated === undefined || repeated === 0 ? undefined : plural(repeated, 'call')],
    ['Agents', agents === undefined ? undefined : visible(agents.join(', '))],
    ['Configured', visible(origin ?? 'config.json')],
  ];
  return [
    `${visible(name)}: ${statusText(server)}${sinceText(server, now)}`,
    ...errorLines(server),
    ...facts.flatMap(([label, value]) =>
      value === undefined || value === '' ? [] : [`  ${label.padEnd(LABEL)}${value}`],
    ),
    ...stderrLines(server),
  ];
}

/** ` for 3m; tried 4 times, next try in 12s`. */
function sinceText({ since, attempts = 0, nextTryAt }: ServerReport, now: number): string {
  const plan = [
    ...(attempts > 1 ? [`tried ${attempts} times`] : []),
    ...(nextTryAt === undefined ? [] : [`next try in ${renderSpan(Math.max(0, nextTryAt - now))}`]),
  ];
  const age = since === undefined ? '' : ` for ${renderSpan(now - since)}`;
  return plan.length === 0 ? age : `${age}; ${plan.join(', ')}`;
}

function authDetail({ auth }: ServerReport, now: number): string {
  const parts = [authText(auth, now)];
  if (auth?.isRenewable === true) parts.push('renews automatically');
  if (auth?.scopes !== undefined && auth.scopes.length > 0)
    parts.push(`scopes: ${visible(auth.scopes.join(' '))}`);
  return parts.join(', ');
}

function toolsDetail({ tools, isStale, lastDiscoveryAt }: ServerReport, now: number): string {
  if (lastDiscoveryAt === undefined) return tools === 0 ? 'not asked yet' : `${tools}, as last heard`;
  const asked = `asked ${renderSpan(now - lastDiscoveryAt)} ago`;
  return [String(tools), ...(isStale === true ? ['as last heard'] : []), asked].join(', ');
}

function errorLines({ error }: ServerReport): string[] {
  if (error === undefined) return [];
  const texts = error.hint === undefined ? [error.message] : [error.message, error.hint];
  return texts.flatMap((text) => visibleBlock(inChatTerms(text)).split('\n')).map((line) => `  ${line}`);
}

function stderrLines({ stderr = '' }: ServerReport): string[] {
  const lines = visibleBlock(stderr).trimEnd().split('\n');
  if (lines.join('') === '') return [];
  return ['', '  Last lines of stderr:', ...lines.slice(-LAST_LINES).map((line) => `    ${line}`)];
}
