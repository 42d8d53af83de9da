/** What keeps programs running on a machine, and what it is told. */
import { userInfo } from 'node:os';
import { PincerError } from '../../core/errors.ts';
import type { ServiceFacts } from './facts.ts';
import { launchdManager } from './launchd.ts';
import { systemdManager } from './systemd.ts';
import { taskSchedulerManager } from './task-scheduler.ts';

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
