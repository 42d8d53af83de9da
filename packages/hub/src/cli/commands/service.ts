/** `pincer service`: installs the hub as a service of the operating system. */
import { setTimeout as delay } from 'node:timers/promises';
import { readConfigFile } from '../../config/read-file.ts';
import { referencesIn } from '../../config/references.ts';
import { PincerError, hasCode } from '../../core/errors.ts';
import { findHub, type HubFile } from '../../owner/hub-file.ts';
import { configPath, prepareStateFolder } from '../../owner/state-folder.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { note, print, printJson } from '../terminal/output.ts';
import {
  serviceFacts,
  type ServiceFacts,
  isCurrent,
  isInstalled,
  removeServiceFiles,
  writeServiceFiles,
} from '../service/files.ts';
import { managerFor, type ServiceManager, type ServiceCommand } from '../service/manager.ts';
import { styleFor, type Style } from '../terminal/style.ts';
import { showWaiting } from '../terminal/waiting.ts';
import { visible } from '../../core/visible.ts';
import { execFile } from 'node:child_process';
import { safeFolder } from '../../lib/process.ts';
import { defineCommand, defineSubcommand } from '../command.ts';

export const command = defineCommand({
  usage: 'install|remove|status',
  description:
    'Runs the hub as a service of your user account. systemd, launchd or the Task Scheduler keeps it running.',
  commands: {
    install: defineSubcommand({
      usage: '[--dry-run]',
      summary: 'install and start the service',
      description: 'Installs or updates the service and starts it.',
      options: { '--dry-run': 'only show what would be written and run' },
      run: ({ flags: { dryRun } }, context) => installService(dryRun, context),
    }),
    remove: defineSubcommand({
      summary: 'stop and remove the service',
      description: 'Stops the service and removes it. Keeps the state folder.',
      run: (_given, context) => removeService(context),
    }),
    status: defineSubcommand({
      summary: 'show whether the service is installed and running',
      description: 'Shows whether the service is installed and running.',
      run: (_given, context) => serviceStatus(context),
    }),
  },
});

const START_MS = 20_000;
const POLL_MS = 100;

export async function installService(isDry: boolean, context: Context): Promise<ExitCode> {
  const { home, json } = context;
  const facts = serviceFacts(context, process.env);
  const manager = managerFor(process.platform, facts);
  if (isDry) {
    const { files, install } = manager;
    if (json) printJson({ ok: true, written: false, name: manager.name, files, commands: install });
    else print(renderDryRun(manager, styleFor(process.stdout)));
    return EXIT.ok;
  }
  refuseBesideAnother(home, manager);
  prepareStateFolder(home);
  await startService(manager);
  const hub = await showWaiting('Starting the hub', waitForHub(home, manager), json);
  if (json) printJson({ ok: true, written: true, ...(await statusOf(manager, home)) });
  else print(`The service is running: ${hub.endpoints.mcp}\n`);
  if (!json) for (const text of [...manager.notes, ...missingVariables(home, facts)]) note(`${text}\n`);
  return EXIT.ok;
}

async function removeService({ json, ...context }: Context): Promise<ExitCode> {
  const manager = managerFor(process.platform, serviceFacts({ json, ...context }, process.env));
  const wasInstalled = isInstalled(manager.files);
  if (wasInstalled) await uninstall(manager);
  if (json) printJson({ ok: true, removed: wasInstalled, name: manager.name });
  else print(wasInstalled ? 'The service is removed.\n' : 'The service was not installed.\n');
  return EXIT.ok;
}

async function serviceStatus(context: Context): Promise<ExitCode> {
  const manager = managerFor(process.platform, serviceFacts(context, process.env));
  const status = await statusOf(manager, context.home);
  if (context.json) printJson({ ok: true, ...status });
  else print(renderStatus(status, styleFor(process.stdout)));
  return EXIT.ok;
}

/** Removes a new service again if it cannot be started. */
async function startService(manager: ServiceManager): Promise<void> {
  const wasInstalled = isInstalled(manager.files);
  writeServiceFiles(manager.files);
  try {
    await runCommands(manager.install, manager);
  } catch (error) {
    if (!wasInstalled) await uninstall(manager).catch(() => undefined);
    throw error;
  }
}

/** If the service manager itself is missing, only the files have to be removed. */
async function uninstall(manager: ServiceManager): Promise<void> {
  const { files, remove, afterRemove } = manager;
  try {
    await runCommands(remove, manager);
  } catch (error) {
    if (!PincerError.is(error) || error.data?.['missing'] !== true) throw error;
    removeServiceFiles(files);
    return;
  }
  removeServiceFiles(files);
  await runCommands(afterRemove, manager);
}

async function statusOf(manager: ServiceManager, home: string): Promise<ServiceStatus> {
  const { title, name, files } = manager;
  const installed = isInstalled(files);
  const asked = installed ? await runCommand(manager.status, manager) : undefined;
  const reported = asked?.isOk === true ? manager.parseStatus(asked.stdout) : undefined;
  const hub = findHub(home);
  const isHubUp = hub?.mode === 'foreground';
  const running = installed && (reported?.isRunning ?? isHubUp);
  return {
    manager: title,
    name,
    file: files[0]!.path,
    installed,
    current: installed && isCurrent(files),
    running,
    pid: running ? (reported?.pid ?? hub?.pid) : undefined,
    endpoint: running && isHubUp ? hub.endpoints.mcp : undefined,
    detail: reported?.detail,
  };
}

/** A hub in a terminal would keep the lock on the state folder, and the service would fail again and again. */
function refuseBesideAnother(home: string, { files }: ServiceManager): void {
  const hub = findHub(home);
  if (hub === undefined || hub.mode !== 'foreground' || isInstalled(files)) return;
  throw new PincerError(
    'HUB_RUNNING',
    `A hub is already running: process ${hub.pid}, ${hub.endpoints.mcp}.`,
    {
      hint: `Stop it, then install the service: kill ${hub.pid} && pincer service install`,
    },
  );
}

async function waitForHub(home: string, { log }: ServiceManager): Promise<HubFile> {
  for (const deadline = performance.now() + START_MS; performance.now() < deadline; await delay(POLL_MS)) {
    const hub = findHub(home);
    if (hub?.mode === 'foreground') return hub;
  }
  throw new PincerError('HUB_UNREACHABLE', 'The service is installed, but its hub did not start.', {
    hint: `Read its log: ${log}`,
  });
}

/** A service does not inherit the variables of a terminal. */
function missingVariables(home: string, { env }: ServiceFacts): string[] {
  const names = new Set(
    referencesIn(readConfigFile(configPath(home)))
      .filter(({ kind, name }) => kind === 'variable' && env[name] === undefined)
      .map(({ name }) => name),
  );
  if (names.size === 0) return [];
  return [
    `The configuration refers to ${[...names].map((name) => `$${name}`).join(', ')}, which the service may not have. Save them in the vault instead: pincer secret set NAME`,
  ];
}

interface ServiceStatus {
  readonly manager: string;
  readonly name: string;
  readonly file: string;
  readonly installed: boolean;
  /** Whether the installed file is the same as one written now. */
  readonly current: boolean;
  readonly running: boolean;
  readonly pid: number | undefined;
  readonly endpoint: string | undefined;
  readonly detail: string | undefined;
}

const renderDryRun = ({ files, install }: ServiceManager, style: Style): string =>
  [
    ...files.flatMap(({ path, text }) => [style.dim(`# ${path}`), text.trimEnd(), '']),
    style.dim('# then'),
    ...install.map(commandText),
    '',
  ].join('\n');

function renderStatus(status: ServiceStatus, style: Style): string {
  const { manager, name, file, installed, current, running, pid, endpoint, detail } = status;
  if (!installed) return `The service is not installed.\n${style.bold('hint:')} pincer service install\n`;
  const state = running ? `${style.green('●')} Running` : `${style.red('✗')} Not running`;
  const row = (label: string, value: string): string => `  ${style.dim(label.padEnd(8))} ${visible(value)}`;
  return [
    `${state}${pid === undefined ? '' : `, process ${pid}`}`,
    row(manager, `${name}${detail === undefined || detail === '' ? '' : ` (${detail})`}`),
    row('File', file),
    ...(endpoint === undefined ? [] : [row('MCP', endpoint)]),
    ...(current
      ? []
      : [
          '',
          'The service file is outdated: Node, Pincer or the environment has changed. Update it: pincer service install',
        ]),
    '',
  ].join('\n');
}

const TIMEOUT_MS = 30_000;

interface Ran {
  readonly isOk: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program of the operating system, without a shell. */
function runCommand({ program, args }: ServiceCommand, { missing }: ServiceManager): Promise<Ran> {
  return new Promise((resolve, reject) => {
    execFile(
      program,
      args,
      { cwd: safeFolder(), timeout: TIMEOUT_MS, windowsHide: true },
      (error, stdout, stderr) => {
        // systemctl does not work without a session bus.
        if (hasCode(error, 'ENOENT') || /Failed to connect to (?:user scope )?bus/i.test(stderr))
          reject(
            new PincerError('INTERNAL', missing, {
              hint: 'See what would be done: pincer service install --dry-run',
              data: { missing: true },
            }),
          );
        else resolve({ isOk: error === null, stdout, stderr });
      },
    );
  });
}

/** Throws if a command fails. */
async function runCommands(commands: readonly ServiceCommand[], manager: ServiceManager): Promise<void> {
  for (const command of commands) {
    const { isOk, stdout, stderr } = await runCommand(command, manager);
    if (isOk || command.mayFail === true) continue;
    const output = (stderr.trim() || stdout.trim() || 'no output.').split('\n').slice(-3).join('\n');
    throw new PincerError('INTERNAL', `${commandText(command)} failed: ${output}`, {
      hint: `Read its log: ${manager.log}`,
    });
  }
}

const commandText = ({ program, args }: ServiceCommand): string =>
  [program, ...args].map((word) => (/\s/.test(word) ? `"${word}"` : word)).join(' ');
