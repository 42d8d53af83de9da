/** Runs the hub in this process until it is stopped: for `pincer up`, `pincer proxy` and `pincer node`. */
import { runDaemon, type Daemon, type DaemonOptions } from '../../daemon.ts';
import type { NodeReport } from '../../control/contract/machine.ts';
import type { ProxyReport } from '../../control/contract/status.ts';
import { shellWord } from '../../lib/text.ts';
import type { HubEndpoints } from '../../owner/hub-file.ts';
import { plainJson } from '../../core/plain-json.ts';
import type { Log } from '../../core/ports.ts';
import { createLog } from '../../observe/log.ts';
import { prepareNeutralFolder, wholePathVariables } from '../../owner/neutral-folder.ts';
import { mcpTokenPath } from '../../owner/state-folder.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { widthOfStream } from '../render/columns.ts';
import { renderNode } from '../render/device.ts';
import { openText } from '../render/proxy.ts';
import { notOfferedByHub } from '../servers/not-offered.ts';
import { styleFor, type Style } from '../terminal/style.ts';
import { acquireFolder } from './acquire-folder.ts';

export interface RunOptions {
  readonly port?: number | undefined;
  readonly background?: boolean;
  /** Ends when stdin ends: the parent program keeps it open as long as it needs the hub. */
  readonly untilEof?: boolean;
  /** Runs only as a node. */
  readonly node?: boolean;
  readonly proxy?: DaemonOptions['proxy'];
  readonly device: DaemonOptions['device'];
}

export async function runHub(
  {
    port,
    background = false,
    untilEof = false,
    proxy: proxyOptions,
    device,
    node: isNode = false,
  }: RunOptions,
  context: Context,
): Promise<ExitCode> {
  const { home, json, debug } = context;
  Object.assign(process.env, wholePathVariables(process.env));
  process.chdir(prepareNeutralFolder(home));
  const logAt = (isDebug: boolean): Log => createLog(debug || isDebug ? 'debug' : 'info');
  const mode = background ? 'background' : 'foreground';
  const options: DaemonOptions = {
    home,
    mode,
    port,
    env: process.env,
    createLog: logAt,
    proxy: proxyOptions,
    device,
    node: isNode,
  };
  const start = (): Promise<Daemon> => runDaemon(options);
  // A signal during the start stops the hub right after the start, so that no server process is left behind.
  const daemonOrStop = Promise.withResolvers<Daemon>();
  const exitCode = stopOnSignal(daemonOrStop.promise);
  if (untilEof) stopOnEof(daemonOrStop.promise);
  const daemon = background ? await start() : await acquireFolder(start, home, logAt(false));
  daemonOrStop.resolve(daemon);
  if (isNode) announceNode(daemon, home, json);
  else if (!background) announce(daemon, { home, json, isAlone: proxyOptions?.isAlone === true });
  if (proxyOptions?.isAlone === true)
    for (const warning of daemon.doors?.warnings ?? []) logAt(false).warn(warning);
  await daemon.ended;
  // The hub has ended completely. Do not wait for handles that may still keep the process alive.
  process.exit(exitCode());
}

interface Announced {
  readonly home: string;
  readonly json: boolean;
  readonly isAlone: boolean;
}

function announce({ hubFile, servers, node, doors }: Daemon, { home, json, isAlone }: Announced): void {
  const { pid, version, endpoints } = hubFile;
  const tokenFile = mcpTokenPath(home);
  if (json) return printJson({ ok: true, hub: { pid, version, endpoints, tokenFile, servers } });
  // Under `npm start`, `pincer` is not in PATH, but npx finds it.
  const program = process.env['npm_lifecycle_event'] === undefined ? 'pincer' : 'npx pincer';
  const facts = {
    version,
    endpoints,
    tokenFile,
    servers,
    node: node?.state(),
    open: doors?.open ?? [],
    program,
  };
  const render = isAlone ? renderProxy : renderUp;
  const { stdout } = process;
  print(render(facts, { style: styleFor(stdout), width: widthOfStream(stdout) }));
}

/** Prints a line for each change of the node's connection. */
function announceNode({ node }: Daemon, home: string, json: boolean): void {
  if (node === undefined) {
    const { why, hint } = notOfferedByHub(home, process.env);
    note(`${why}\n${hint}\n`);
  }
  let last = '';
  const printState = (state: NodeReport | undefined): void => {
    const line = state && (json ? plainJson(JSON.stringify(state)) : renderNode(state));
    if (line === undefined || line === last) return;
    last = line;
    print(`${line}\n`);
  };
  printState(node?.state());
  node?.onChange(printState);
}

/** However the parent process ends, its end closes the pipe. */
function stopOnEof(starting: Promise<Daemon>): void {
  const { stdin } = process;
  stdin.once('close', () => void starting.then((daemon) => daemon.stop())).resume();
  // Without unref, a hub that failed to start would stay until the parent ends. If stdin is a file, it has no unref.
  (stdin as Partial<typeof stdin>).unref?.();
}

/** The first signal drains calls and stops servers; the second ends the process at once. */
function stopOnSignal(starting: Promise<Daemon>): () => ExitCode {
  let exitCode: ExitCode = EXIT.ok;
  let isStopping = false;
  process.removeAllListeners('SIGINT');
  for (const [signal, code] of [
    ['SIGINT', EXIT.interrupted],
    ['SIGTERM', EXIT.ok],
  ] as const)
    process.on(signal, () => {
      if (isStopping) process.exit(code === EXIT.ok ? EXIT.failure : code);
      isStopping = true;
      exitCode = code;
      void starting.then((daemon) => daemon.stop());
    });
  return () => exitCode;
}

interface UpFacts {
  readonly version: string;
  readonly endpoints: HubEndpoints;
  readonly tokenFile: string;
  readonly servers: readonly string[];
  /** The connection with the gateway, if this machine is a node of one. */
  readonly node?: NodeReport | undefined;
  /** The sides of the app proxy that need no token. */
  readonly open: ProxyReport['open'];
  /** The command by which the person runs this program. */
  readonly program: string;
}

interface RenderOptions {
  readonly style: Style;
  readonly width: number;
}

/** Puts the endpoint, the token and the command that connects a client first. */
export function renderUp(facts: UpFacts, options: RenderOptions): string {
  const { version, endpoints, tokenFile, servers, node, program } = facts;
  const { style } = options;
  const row = rowWriter(options);
  return [
    `${style.bold(`Pincer ${version} is running.`)} Press Ctrl+C to stop it.`,
    '',
    row('MCP', endpoints.mcp, `all servers; one server: ${endpoints.mcp}/NAME`, 'all servers'),
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
      : [row('Device', endpoints.device, `tools of this machine: ${program} device`)]),
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

function renderProxy(facts: UpFacts, options: RenderOptions): string {
  const { version, endpoints, tokenFile, program } = facts;
  const { proxy = '' } = endpoints;
  const row = rowWriter(options);
  return [
    `${options.style.bold(`The app proxy of Pincer ${version} is running.`)} Press Ctrl+C to stop it.`,
    '',
    row('Apps', `${proxy}/v1/chat/sessions`, 'where apps register their tools', 'for apps'),
    row('MCP', `${proxy}/v1/mcp/SESSION`, 'the tools of one session'),
    ...openRow(facts, options),
    row('Health', `${proxy}/health`),
    row('Metrics', `${proxy}/metrics`, `token in ${tokenFile}`),
    '',
    'Create a token for an app:',
    `  ${program} token add NAME --app`,
    '',
  ].join('\n');
}

const LABEL = 8;

/** Writes a row with the first remark that fits into the width. */
const rowWriter =
  ({ style, width }: RenderOptions) =>
  (label: string, value: string, ...remarks: string[]): string => {
    const begin = `  ${style.dim(label.padEnd(LABEL))} ${value}`;
    const used = '  '.length + LABEL + 1 + value.length + '  '.length;
    const remark = remarks.find(({ length }) => used + length <= width);
    return remark === undefined ? begin : `${begin}  ${style.dim(remark)}`;
  };

function openRow({ open, program }: UpFacts, { style }: RenderOptions): string[] {
  const text = openText({ open }, { style, program });
  return text === undefined ? [] : [`  ${' '.repeat(LABEL)} ${text}`];
}

/** One shell command, in two lines if it does not fit into one. */
function claudeCommand({ endpoints, tokenFile }: UpFacts, { width }: RenderOptions): string[] {
  const command = `  claude mcp add --transport http pincer ${endpoints.mcp}`;
  const header = `--header "Authorization: Bearer $(cat ${shellWord(tokenFile)})"`;
  const line = `${command} ${header}`;
  return line.length <= width ? [line] : [`${command} \\`, `    ${header}`];
}

function nextStep(servers: readonly string[], program: string): string[] {
  if (servers.length > 0) return [`${servers.length === 1 ? 'Server' : 'Servers'}: ${servers.join(', ')}`];
  return [
    'No server is configured yet. Add one in another terminal:',
    `  ${program} add everything -- npx -y @modelcontextprotocol/server-everything`,
    `  ${program} add docs https://example.com/mcp`,
  ];
}
