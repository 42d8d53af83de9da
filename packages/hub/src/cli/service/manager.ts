/** The service manager of each platform, and the Windows Task Scheduler. */
import { userInfo } from 'node:os';
import { PincerError } from '../../core/errors.ts';
import type { ServiceFacts } from './files.ts';
import { launchdManager, escapeXml } from './launchd.ts';
import { systemdManager } from './systemd.ts';
import { join } from 'node:path';
import { runFolder } from '../../owner/state-folder.ts';

export interface ServiceCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Set if the command undoes something that may not exist. */
  readonly mayFail?: boolean;
}

export interface ServiceFile {
  readonly path: string;
  readonly text: string;
  /** Default: UTF-8. */
  readonly encoding?: 'utf16le';
}

export interface ServiceManager {
  readonly title: string;
  readonly name: string;
  readonly files: readonly ServiceFile[];
  readonly install: readonly ServiceCommand[];
  /** Run before the files are removed. */
  readonly remove: readonly ServiceCommand[];
  /** Run after the files are removed. */
  readonly afterRemove: readonly ServiceCommand[];
  readonly status: ServiceCommand;
  /** `isRunning` is undefined if the manager does not tell. */
  parseStatus(text: string): { isRunning: boolean | undefined; pid: number | undefined; detail: string };
  /** A command that shows the end of the service's log. */
  readonly log: string;
  readonly notes: readonly string[];
  /** The error message if this manager is missing on the machine. */
  readonly missing: string;
}

export function managerFor(platform: NodeJS.Platform, facts: ServiceFacts): ServiceManager {
  const { uid, username } = userInfo();
  if (platform === 'linux') return systemdManager(facts);
  if (platform === 'darwin') return launchdManager(facts, uid);
  if (platform === 'win32')
    return taskSchedulerManager(facts, `${process.env['USERDOMAIN'] ?? '.'}\\${username}`);
  throw new PincerError('USAGE', `Pincer cannot install a service on ${platform}.`, {
    hint: 'Let the service manager of this machine run: pincer up',
  });
}

const taskName = ({ suffix }: ServiceFacts): string => `Pincer${suffix === '' ? '' : ` ${suffix}`}`;

/** A task that runs while the user is logged in. `user`: the account as `MACHINE\name`. */
export function taskXml(facts: ServiceFacts, user: string, envFile: string | undefined): string {
  const { node, script } = facts;
  const words = [...(envFile === undefined ? [] : [`--env-file=${envFile}`]), script, 'up'];
  return `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.3" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>Pincer, the MCP hub</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <UserId>${escapeXml(user)}</UserId>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>${escapeXml(user)}</UserId>
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>255</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>${escapeXml(node)}</Command>
      <Arguments>${escapeXml(words.map(windowsWord).join(' '))}</Arguments>
    </Exec>
  </Actions>
</Task>
`;
}

/** Quotes a word as Windows programs parse their command line. */
const windowsWord = (word: string): string =>
  /^[^\s"]+$/.test(word)
    ? word
    : `"${word.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/(\\+)$/, '$1$1')}"`;

/** A task inherits the variables of the account. Those of this terminal are read from a file. */
const envText = (env: ServiceFacts['env']): string =>
  Object.entries(env)
    .filter(([name]) => name !== 'PATH')
    .map(([name, value]) => `${name}='${value}'\r\n`)
    .join('');

export function taskSchedulerManager(facts: ServiceFacts, user: string): ServiceManager {
  const name = taskName(facts);
  const folder = runFolder(facts.home);
  const xmlFile = join(folder, 'service.xml');
  const variables = envText(facts.env);
  const envFile = variables === '' ? undefined : join(folder, 'service.env');
  const schtasks = (...args: string[]) => ({ program: 'schtasks.exe', args });
  return {
    title: 'Task Scheduler',
    name,
    files: [
      { path: xmlFile, text: taskXml(facts, user, envFile), encoding: 'utf16le' },
      ...(envFile === undefined ? [] : [{ path: envFile, text: variables }]),
    ],
    install: [schtasks('/Create', '/TN', name, '/XML', xmlFile, '/F'), schtasks('/Run', '/TN', name)],
    remove: [{ ...schtasks('/End', '/TN', name), mayFail: true }, schtasks('/Delete', '/TN', name, '/F')],
    afterRemove: [],
    status: schtasks('/Query', '/TN', name, '/FO', 'CSV', '/NH', '/V'),
    parseStatus: parseTaskStatus,
    log: `schtasks /Query /TN "${name}" /V /FO LIST`,
    notes: ['It runs while you are logged in.'],
    missing: 'schtasks.exe was not found.',
  };
}

/** The state word is localized, so whether the hub runs is read from the hub itself. */
export function parseTaskStatus(text: string): ReturnType<ServiceManager['parseStatus']> {
  const fields = [...text.matchAll(/"((?:[^"]|"")*)"/g)].map(([, field = '']) => field);
  const state = fields[3] ?? '';
  return { isRunning: undefined, pid: undefined, detail: state };
}
