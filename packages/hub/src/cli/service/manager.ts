/** What keeps programs running on a machine, and what it is told. */
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
  /** What it undoes need not be there. */
  readonly mayFail?: boolean;
}

export interface ServiceFile {
  readonly path: string;
  readonly text: string;
  /** UTF-8 unless said otherwise. */
  readonly encoding?: 'utf16le';
}

export interface ServiceManager {
  readonly title: string;
  readonly name: string;
  readonly files: readonly ServiceFile[];
  readonly install: readonly ServiceCommand[];
  /** Before the files are removed, and after. */
  readonly remove: readonly ServiceCommand[];
  readonly afterRemove: readonly ServiceCommand[];
  readonly status: ServiceCommand;
  /** `isRunning` undefined: it does not say. */
  parseStatus(text: string): { isRunning: boolean | undefined; pid: number | undefined; detail: string };
  /** A command that shows the last words of the service. */
  readonly log: string;
  readonly notes: readonly string[];
  /** Said where it is not on this machine. */
  readonly missing: string;
}

export function managerFor(platform: NodeJS.Platform, facts: ServiceFacts): ServiceManager {
  const { uid, username } = userInfo();
  if (platform === 'linux') return systemdManager(facts);
  if (platform === 'darwin') return launchdManager(facts, uid);
  if (platform === 'win32')
    return taskSchedulerManager(facts, `${process.env['USERDOMAIN'] ?? '.'}\\${username}`);
  throw new PincerError('USAGE', `Pincer cannot make a service on ${platform}.`, {
    hint: 'Start `pincer up` by whatever this machine has for that.',
  });
}

const taskName = ({ suffix }: ServiceFacts): string => `Pincer${suffix === '' ? '' : ` ${suffix}`}`;

/**
 * A task for the Windows Task Scheduler, which runs while the person is logged in. `user` is the person as Windows
 * names them: `MACHINE\name`.
 */
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

/** As a program on Windows takes its command line apart. */
const windowsWord = (word: string): string =>
  /^[^\s"]+$/.test(word)
    ? word
    : `"${word.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/(\\+)$/, '$1$1')}"`;

/** A task has the person's variables; those that only this terminal has are read from a file. */
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
    missing: 'There is no schtasks.exe here.',
  };
}

/** The words are in the language of the system: whether the hub runs is seen by the hub itself. */
export function parseTaskStatus(text: string): ReturnType<ServiceManager['parseStatus']> {
  const fields = [...text.matchAll(/"((?:[^"]|"")*)"/g)].map(([, field = '']) => field);
  const state = fields[3] ?? '';
  return { isRunning: undefined, pid: undefined, detail: state };
}
