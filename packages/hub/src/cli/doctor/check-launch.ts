/** Whether what a stdio server needs is there at all. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { isRecord } from '../../core/is-record.ts';
import type { OutlinedServer } from '../servers/outline.ts';
import { warn, type Finding } from './finding.ts';

/** Only a warning: the hub may be started in another environment than this. */
export function checkLaunch({ name, enabled, transport, raw }: OutlinedServer): Finding[] {
  if (!enabled || transport !== 'stdio') return [];
  const { command, cwd } = raw;
  const findings: Finding[] = [];
  if (typeof cwd === 'string' && !cwd.includes('$') && !isFolder(cwd))
    findings.push(warn(`servers.${name}.cwd`, `There is no folder ${cwd}.`, `pincer set ${name} cwd FOLDER`));
  const env = isRecord(raw['env']) ? raw['env'] : {};
  const path = typeof env['PATH'] === 'string' ? env['PATH'] : (process.env['PATH'] ?? '');
  if (
    typeof command === 'string' &&
    !command.includes('$') &&
    !isProgram(command, typeof cwd === 'string' ? cwd : '', path)
  )
    findings.push(
      warn(
        `servers.${name}.command`,
        `There is no program ${command} here.`,
        'Install it, or write its whole path.',
      ),
    );
  return findings;
}

/** Windows has endings of its own for programs. */
const ENDINGS = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat', '.com'] : [''];

function isProgram(command: string, cwd: string, path: string): boolean {
  const isPath = isAbsolute(command) || /[/\\]/.test(command);
  const places = isPath
    ? [resolve(cwd, command)]
    : path.split(delimiter).map((folder) => join(folder, command));
  return places.some((place) => ENDINGS.some((ending) => canRun(place + ending)));
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
