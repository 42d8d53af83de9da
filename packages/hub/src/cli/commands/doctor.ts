/** `pincer doctor`: finds problems and says how to fix them. Connects to servers only with `--probe`. */
import { docsLink } from '../../core/errors.ts';
import { configPath } from '../../owner/state-folder.ts';
import { openVault } from '../../owner/vault.ts';
import type { Context } from '../context.ts';
import { checkAgent } from '../doctor/check-agent.ts';
import { checkConfig, checkLaunch } from '../doctor/check-config.ts';
import {
  checkConfigMode,
  checkFolder,
  checkTokens,
  checkStore,
  checkSignIns,
  checkVault,
} from '../doctor/check-state.ts';
import { checkDevice } from '../doctor/check-device.ts';
import { checkHub, checkServers, probeServers } from '../doctor/check-hub.ts';
import { checkNodeVersion, type Finding, warn } from '../doctor/finding.ts';
import { checkPort } from '../doctor/check-port.ts';
import { checkProxy } from '../doctor/check-proxy.ts';
import { EXIT, EXIT_TYPES, type ExitCode } from '../exit-codes.ts';
import { findHubClient, openHub, type HubClient, ask } from '../../control/client/hub-client.ts';
import type { HeldTool, HubStatus } from '../../control/contract/status.ts';
import type { Config } from '../../config/schema.ts';
import { print, printJson } from '../terminal/output.ts';
import { styleFor, type Style } from '../terminal/style.ts';
import { showWaiting } from '../terminal/waiting.ts';
import { visible, visibleBlock } from '../../core/visible.ts';
import { columns } from '../render/columns.ts';
import { plural } from '../../lib/text.ts';
import type { ResourceClash } from '../../control/contract/servers.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  usage: '[--probe]',
  description:
    'Checks the configuration, the state folder, the hub and the servers, and says how to fix each problem. Connects to servers only with --probe.',
  options: { '--probe': 'connect to every server, too' },
  run: ({ flags }, context) => doctor(context, flags),
});

interface DoctorFlags {
  readonly probe: boolean;
}

async function doctor(context: Context, { probe }: DoctorFlags): Promise<ExitCode> {
  const { home, json } = context;
  const running = findHubClient(context);
  const config = checkConfig(configPath(home), {
    isHubRunning: running !== undefined,
    secret: (name) => openVault(home, process.env).get(name),
  });
  // A hub cannot start with a configuration that it cannot read.
  const hub = running ?? (probe && config.config !== undefined ? await openHub(context) : undefined);
  const { findings: ofHub, status } = await checkHub(hub);
  const findings: Finding[] = [
    checkNodeVersion(process.versions.node),
    ...checkFolder(home),
    ...checkConfigMode(home),
    ...config.findings,
    ...checkVault(home),
    ...(await checkSignIns(home)),
    ...checkTokens(home),
    ...checkStore(home, status),
    ...ofHub,
    ...(probe && hub !== undefined && status !== undefined
      ? await showWaiting('Connecting to the servers', probed(hub, status, wrongIn(config.config)), json)
      : checkServers(config.outline, status, wrongIn(config.config))),
    ...config.outline.flatMap(checkLaunch),
    ...(await checkOffers(hub, status)),
    ...(config.agent === undefined
      ? []
      : await checkAgent({ home, env: process.env, settings: config.agent, probe })),
    ...(config.config === undefined
      ? []
      : await checkDevice({ home, env: process.env, config: config.config, hub })),
    ...(hub === undefined ? [await checkPort(config.port)] : []),
    ...(config.proxy === undefined
      ? []
      : await checkProxy({
          config: config.proxy,
          env: process.env,
          folder: process.cwd(),
          localPort: config.port,
          running: status?.proxy,
        })),
  ];
  if (json) printJson(document(findings));
  else print(renderFindings(findings, home, styleFor(process.stdout)));
  return findings.some(({ severity }) => severity === 'error') ? EXIT.failure : EXIT.ok;
}

function probed(hub: HubClient, { servers }: HubStatus, wrong: ReadonlySet<string>): Promise<Finding[]> {
  return probeServers(
    hub,
    servers.filter(({ name }) => !wrong.has(name)),
  );
}

/** Servers with an invalid configuration, which have findings already. */
const wrongIn = (config: Config | undefined): ReadonlySet<string> =>
  new Set(config?.failed.map(({ name }) => name));

function document(findings: readonly Finding[]): object {
  const worst = findings.find(({ severity }) => severity === 'error');
  if (worst === undefined) return { ok: true, findings };
  const code = worst.code ?? 'INTERNAL';
  const { message, fixHint = null } = worst;
  const error = { type: EXIT_TYPES[EXIT.failure], code, message, hint: fixHint, docs: docsLink(code) };
  return { ok: false, error, findings };
}

/** A line per finding, its hint below it, and a summary at the end. Paths below `home` are shown relative to it. */
export function renderFindings(findings: readonly Finding[], home: string, style: Style): string {
  const shorten = (path: string): string =>
    path.startsWith(`${home}/`) ? path.slice(home.length + 1) : path;
  const symbols = { ok: style.green('✓'), warn: style.yellow('!'), error: style.red('✗') };
  const table = columns(
    findings.map(({ severity, path, message }) => [
      symbols[severity],
      visible(shorten(path)),
      linesOf(message)[0]!,
    ]),
  );
  const lines = findings.flatMap(({ message, fixHint }, index) => {
    const [hint, ...more] = fixHint === undefined ? [] : linesOf(fixHint);
    return [
      table[index]!,
      ...linesOf(message).slice(1).map(indented),
      ...(hint === undefined ? [] : [`   ${style.bold('hint:')} ${hint}`, ...more.map(indented)]),
    ];
  });
  return `${[...lines, '', renderSum(findings)].join('\n')}\n`;
}

/** A message about the configuration may have several lines. */
const linesOf = (text: string): string[] => visibleBlock(text).split('\n');
const indented = (line: string): string => `   ${line}`;

function renderSum(findings: readonly Finding[]): string {
  const count = (wanted: Finding['severity']): number =>
    findings.filter(({ severity }) => severity === wanted).length;
  const errors = count('error');
  const warnings = count('warn');
  if (errors + warnings === 0) return 'No problems found.';
  return `${plural(errors, 'error')}, ${plural(warnings, 'warning')}.`;
}

/** More clashes than this usually have one cause. */
const MAX_CLASHES = 5;

/** Findings about the offers of servers: held tools, and resources that several servers list. */
async function checkOffers(hub: HubClient | undefined, status: HubStatus | undefined): Promise<Finding[]> {
  if (hub === undefined || status === undefined) return [];
  const clashes = await ask(hub, 'GET clashes');
  const apps = status.proxy?.apps.map(({ name }) => name);
  return [...heldFindings(status.held ?? [], apps), ...clashFindings(clashes)];
}

export const heldFindings = (held: readonly HeldTool[], apps: readonly string[] = []): Finding[] =>
  [...Map.groupBy(held, ({ server }) => server)].map(([server, tools]) => {
    const names = visible(tools.map(({ tool }) => tool).join(', '));
    const be = tools.length === 1 ? 'is' : 'are';
    return warn(
      `${apps.includes(server) ? 'proxy.apps' : 'servers'}.${server}`,
      `${plural(tools.length, 'tool')} ${be} held until you accept ${tools.length === 1 ? 'it' : 'them'}: ${names}.`,
      `pincer accept ${server}`,
    );
  });

export function clashFindings(clashes: readonly ResourceClash[]): Finding[] {
  const shown = clashes
    .slice(0, MAX_CLASHES)
    .map(({ uri, servers }) =>
      warn(
        `servers.${servers[0]}`,
        `${visible(uri)} is listed by ${servers.join(' and ')}; requests for it go to ${servers[0]}.`,
        `To read it from ${servers[1]}, use /mcp/${servers[1]}, or change the order of the servers.`,
      ),
    );
  const more = clashes.length - shown.length;
  return more === 0
    ? shown
    : [
        ...shown,
        warn(
          'servers',
          `${more} more ${more === 1 ? 'resource is' : 'resources are'} listed by several servers.`,
          undefined,
        ),
      ];
}
