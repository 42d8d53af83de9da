/** Whether what a stdio server needs is there at all. */
import { statSync } from 'node:fs';
import { isRecord } from '../../lib/record.ts';
import type { OutlinedServer } from '../servers/outline.ts';
import { handsFolderOn } from '../../servers/stdio/plan-launch.ts';
import { isProgram } from '../find-program.ts';
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
    !isProgram(command, { path, platform: process.platform, cwd: typeof cwd === 'string' ? cwd : undefined })
  )
    findings.push(
      warn(
        `servers.${name}.command`,
        `There is no program ${command} here.`,
        'Install it, or write its whole path.',
      ),
    );
  const words = [command, ...(Array.isArray(raw['args']) ? raw['args'] : [])].map(String);
  const relative = words.find((word) => /^\.\.?[\\/]/.test(word));
  if (typeof cwd !== 'string' && relative !== undefined)
    findings.push(
      warn(
        `servers.${name}.cwd`,
        `${relative} is a relative path, and the server runs in an empty folder of its own.`,
        `Say what it is relative to: pincer set ${name} cwd FOLDER`,
      ),
    );
  if (typeof cwd === 'string' && !handsFolderOn(words, process.platform))
    findings.push(
      warn(
        `servers.${name}.cwd`,
        `${words[0]} runs in an empty folder, as does what it starts: in ${cwd} it would take settings and programs from there.`,
        'Install the server, and name its program as the command, to run it in that folder.',
      ),
    );
  return findings;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
