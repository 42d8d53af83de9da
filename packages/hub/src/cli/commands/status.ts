/** `pincer status`: shows the state of the hub, or one server in detail. Connects to none. */
import type { NodeReport } from '../../control/contract/machine.ts';
import type { ServerReport, HubStatus } from '../../control/contract/status.ts';
import { ask } from '../../control/client/hub-client.ts';
import { readConfigFile } from '../../config/read-file.ts';
import { PincerError } from '../../core/errors.ts';
import { valueAt } from '../../lib/record.ts';
import { configPath } from '../../owner/state-folder.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { describeHub, readOverview, warnOfConfig, type Overview } from '../servers/overview.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { stateWord } from '../../control/client/state-word.ts';
import { widthOfStream, columns } from '../render/columns.ts';
import { serverRows, type ServerRow } from '../servers/rows.ts';
import { unknownServer } from '../servers/unknown-server.ts';
import { styleFor, type Style } from '../terminal/style.ts';
import { visible, visibleBlock } from '../../core/visible.ts';
import { authFact, renderError, stateSymbol, renderServerList, toolCount } from '../render/server-list.ts';
import { renderFacts } from '../render/text.ts';
import { plural } from '../../lib/text.ts';
import { renderSpan, renderTime } from '../render/time.ts';
import { defineCommand } from '../command.ts';
import type { HubFile } from '../../owner/hub-file.ts';
import { renderNode } from '../render/device.ts';
import { dotEnvText, openText, proxyText } from '../render/proxy.ts';

export const command = defineCommand({
  usage: '[NAME] [--stderr]',
  description:
    'Shows the state of the hub and its servers, or of one server in detail. Does not connect to servers.',
  arguments: ['[name]'],
  options: { '--stderr': 'show all recorded lines that the server wrote to stderr' },
  run: ({ words: [name], flags }, context) => status(name, flags, context),
});

interface StatusFlags {
  readonly stderr: boolean;
}

async function status(name: string | undefined, flags: StatusFlags, context: Context): Promise<ExitCode> {
  const overview = await readOverview(context);
  const rows = serverRows(overview.outline, overview.status, overview.failed);
  if (name === undefined) showHub(overview, { rows, node: await nodeOf(overview, context) }, context);
  else showServer(name, { overview, rows, flags }, context);
  if (!context.json) {
    if (overview.status === undefined)
      note('No hub is running, so only the configuration is shown. Start one: pincer up\n');
    warnOfConfig(overview);
  }
  return EXIT.ok;
}

/** Checking all capabilities of the machine takes a while, so this asks the hub only if it may be a node. */
async function nodeOf({ hub }: Overview, { home }: Context): Promise<NodeReport | undefined> {
  if (hub === undefined) return undefined;
  // `pincer node` is always a node, regardless of the configuration. It has no device endpoint.
  if (!isNodeMode(home) && hub.hubFile.endpoints.device !== undefined) return undefined;
  return (await ask(hub, 'GET device')).node;
}

function isNodeMode(home: string): boolean {
  try {
    return valueAt(readConfigFile(configPath(home)), ['device', 'nodeMode']) === true;
  } catch {
    // The hub keeps using the previous configuration, which may have set it.
    return true;
  }
}

interface ShownHub {
  readonly rows: readonly ServerRow[];
  readonly node: NodeReport | undefined;
}

function showHub(overview: Overview, { rows, node }: ShownHub, { json }: Context): void {
  const { hub, status: known, configProblem, problems } = overview;
  if (json) {
    const servers = rows.map((row) => ({ ...row, word: stateWord(row.state, row.transport) }));
    printJson({
      ok: true,
      hub:
        hub === undefined
          ? null
          : { ...describeHub(hub.hubFile), attached: known?.attached, callsInFlight: known?.callsInFlight },
      configProblem: configProblem ?? null,
      problems,
      held: known?.held ?? [],
      approvals: known?.approvals ?? 0,
      store: known?.store ?? null,
      proxy: known?.proxy ?? null,
      node: node ?? null,
      servers,
    });
    return;
  }
  const { stdout } = process;
  const facts = { hubFile: hub?.hubFile, status: known, rows, node };
  print(renderHubStatus(facts, { style: styleFor(stdout), now: Date.now(), width: widthOfStream(stdout) }));
}

interface Shown {
  readonly overview: Overview;
  readonly rows: readonly ServerRow[];
  readonly flags: StatusFlags;
}

function showServer(name: string, { overview, rows, flags }: Shown, { json }: Context): void {
  const row = rows.find((each) => each.name === name);
  if (row === undefined && overview.status?.proxy?.apps.some((app) => app.name === name) === true)
    throw new PincerError('SERVER_UNKNOWN', `"${name}" is an app, not a server.`, {
      hint: `See its sessions: pincer sessions --app ${name}`,
    });
  if (row === undefined)
    throw unknownServer(
      name,
      rows.map((each) => each.name),
    );
  const known = overview.status?.servers.find((each) => each.name === name);
  const server: ServerReport = known ?? { ...row, tools: row.tools ?? 0 };
  const held = (overview.status?.held ?? []).filter((tool) => tool.server === name);
  const word = stateWord(server.state, server.transport);
  if (json)
    printJson({ ok: true, server: { ...server, word, held: held.map(({ tool, why }) => ({ tool, why })) } });
  else {
    const options = {
      style: styleFor(process.stdout),
      now: Date.now(),
      held: held.length,
      allOfStderr: flags.stderr,
    };
    print(renderServerStatus(server, options));
  }
}

interface StatusOptions {
  readonly style: Style;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly held: number;
  /** Shows all recorded stderr lines instead of the last ones. */
  readonly allOfStderr: boolean;
}

const LAST_LINES = 10;

export function renderServerStatus(server: ServerReport, options: StatusOptions): string {
  const { style, now } = options;
  const word = stateWord(server.state, server.transport, server.pid);
  const title = `${stateSymbol(server.state, style)} ${style.bold(visible(server.name))}  ${word}${sinceText(server, now)}`;
  const facts = renderFacts(
    [
      ['transport', server.transport],
      [server.transport === 'stdio' ? 'command' : 'url', visible(server.target)],
      ['sign-in', shownAuth(server, now)],
      ['era', server.era],
      ['session', server.session && `${visible(server.session)}…`],
      [
        'last heard',
        server.lastHeardAt === undefined ? undefined : `${renderSpan(now - server.lastHeardAt)} ago`,
      ],
      ['tools', toolsText(server, now)],
      ['held', heldText(server, options.held)],
      ['running', server.inFlight === undefined ? undefined : plural(server.inFlight, 'call')],
      ['repeated', server.repeated ? plural(server.repeated, 'call') : undefined],
      ['configured in', server.origin ?? 'config.json'],
    ],
    style,
  );
  return `${[title, ...renderError(server, style), '', ...facts, ...stderrLines(server, options)].join('\n')}\n`;
}

const shownAuth = ({ auth }: ServerReport, now: number): string | undefined => {
  const text = authFact(auth, now);
  return text === undefined ? undefined : visible(text);
};

/** ` for 3 min; tried 4 times, again in 12 s`. */
function sinceText({ since, attempts = 0, nextTryAt }: ServerReport, now: number): string {
  const age = since === undefined ? '' : ` for ${renderSpan(now - since)}`;
  const tries = attempts > 1 ? `tried ${attempts} times` : '';
  const next = nextTryAt === undefined ? '' : `tried again in ${renderSpan(Math.max(0, nextTryAt - now))}`;
  const plan = tries !== '' && next !== '' ? `${tries}, ${next.replace('tried ', '')}` : tries + next;
  return plan === '' ? age : `${age}; ${plan}`;
}

function toolsText({ tools, state, isStale, lastDiscoveryAt }: ServerReport, now: number): string {
  if (tools === 0 && state !== 'ready') return 'not listed yet';
  const asked =
    lastDiscoveryAt === undefined
      ? ''
      : `, listed ${renderSpan(now - lastDiscoveryAt)} ago (${renderTime(lastDiscoveryAt, now)})`;
  return isStale === true ? `${tools} from the last connection${asked}` : `${tools}${asked}`;
}

const heldText = ({ name }: ServerReport, held: number): string | undefined =>
  held === 0
    ? undefined
    : `${plural(held, 'tool')} until you accept ${held === 1 ? 'it' : 'them'}: pincer accept ${name}`;

function stderrLines({ name, stderr = '' }: ServerReport, { style, allOfStderr }: StatusOptions): string[] {
  const lines = visibleBlock(stderr).trimEnd().split('\n');
  if (lines.join('') === '') return [];
  const shown = allOfStderr ? lines : lines.slice(-LAST_LINES);
  const left = lines.length - shown.length;
  const more = left === 0 ? '' : ` (${plural(left, 'line')} more: pincer status ${name} --stderr)`;
  return ['', `  ${style.dim(`Last lines on stderr${more}:`)}`, ...shown.map((line) => `    ${line}`)];
}

interface HubFacts {
  readonly hubFile: HubFile | undefined;
  readonly status: HubStatus | undefined;
  readonly rows: readonly ServerRow[];
  /** Set if this machine is a node. */
  readonly node?: NodeReport | undefined;
}

interface HubStatusOptions {
  readonly style: Style;
  readonly now: number;
  readonly width: number;
}

const SHOWN_INCIDENTS = 5;

export function renderHubStatus(
  { hubFile, status, rows, node }: HubFacts,
  options: HubStatusOptions,
): string {
  const { style, width } = options;
  const head =
    hubFile === undefined || status === undefined
      ? []
      : [
          `${style.green('●')} ${style.bold(`Pincer ${hubFile.version}`)} is running in the ${hubFile.mode}, process ${hubFile.pid}.`,
          ...renderFacts(
            [
              ['MCP', hubFile.endpoints.mcp],
              ['device', hubFile.endpoints.device && `${hubFile.endpoints.device}  pincer device`],
              ['node', node && renderNode(node)],
              ['clients', `${status.attached} connected, ${plural(status.callsInFlight, 'call')} running`],
              ['proxy', status.proxy && proxyText(status.proxy)],
              ['.env', status.proxy && dotEnvText(status.proxy)],
              ['open', status.proxy && openText(status.proxy, { style })],
              ['waiting', waitingText(status)],
            ],
            style,
          ),
          ...renderIncidents(status, options),
          '',
        ];
  if (rows.length === 0) return [...head, renderServerList([], style)].join('\n');
  const titles = ['', 'NAME', 'STATE', 'SINCE', 'ERA', 'TOOLS', 'CALLS', 'LAST ERROR'];
  const table = columns(
    [titles.map((title) => style.dim(title)), ...rows.map((row) => rowOf(row, options))],
    width,
  );
  // The LAST ERROR column may be cut off and has no room for hints, so misconfigured servers are repeated below.
  const wrong = rows
    .filter(({ isMisconfigured }) => isMisconfigured === true)
    .flatMap((row) => [
      '',
      `${stateSymbol(row.state, style)} ${style.bold(visible(row.name))}`,
      ...renderError(row, style),
    ]);
  return `${[...head, ...table, ...wrong].join('\n')}\n`;
}

/** The latest incidents, each with its hint. `pincer doctor` shows all. */
function renderIncidents({ store }: HubStatus, { style }: HubStatusOptions): string[] {
  const incidents = store?.incidents ?? [];
  const shown = incidents.slice(-SHOWN_INCIDENTS);
  const more = incidents.length - shown.length;
  return [
    ...shown.flatMap(({ message, hint, isOpen }) => [
      `  ${isOpen ? style.red('✗') : style.yellow('!')} ${visible(message)}`,
      `    ${style.dim(visible(hint))}`,
    ]),
    ...(more > 0 ? [`    ${style.dim(`${more} more: pincer doctor`)}`] : []),
  ];
}

/** Approvals and held tools that wait for a person. */
function waitingText({ held = [], approvals = 0 }: HubStatus): string | undefined {
  const parts = [
    ...(approvals === 0 ? [] : [`${plural(approvals, 'call')} for your approval: pincer approvals`]),
    ...(held.length === 0 ? [] : [`${plural(held.length, 'tool')} for you to accept: pincer accept`]),
  ];
  return parts.length === 0 ? undefined : parts.join('; ');
}

function rowOf(row: ServerRow, { style, now }: HubStatusOptions): string[] {
  return [
    stateSymbol(row.state, style),
    style.bold(visible(row.name)),
    stateWord(row.state, row.transport, row.pid),
    row.since === undefined ? '-' : renderSpan(now - row.since),
    row.era ?? '-',
    `${toolCount(row)}${row.isStale === true && row.tools !== undefined ? ' old' : ''}`,
    String(row.inFlight ?? '-'),
    row.error === undefined ? '' : visible(row.error.message.split('\n', 1)[0]!),
  ];
}
