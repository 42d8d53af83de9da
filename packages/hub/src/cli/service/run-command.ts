/** Runs one of the machine's own programs, without a shell. */
import { execFile } from 'node:child_process';
import { hasCode, PincerError } from '../../core/errors.ts';
import type { ServiceCommand, ServiceManager } from './manager.ts';

const TIMEOUT_MS = 30_000;

export interface Ran {
  readonly isOk: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

export function runCommand({ program, args }: ServiceCommand, { missing }: ServiceManager): Promise<Ran> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { timeout: TIMEOUT_MS, windowsHide: true }, (error, stdout, stderr) => {
      // systemctl without a session bus has nobody to talk to.
      if (hasCode(error, 'ENOENT') || /Failed to connect to (?:user scope )?bus/i.test(stderr))
        reject(
          new PincerError('INTERNAL', missing, {
            hint: 'What would be done: pincer service install --dry-run',
            data: { missing: true },
          }),
        );
      else resolve({ isOk: error === null, stdout, stderr });
    });
  });
}

/** Throws where one of them fails. */
export async function runCommands(
  commands: readonly ServiceCommand[],
  manager: ServiceManager,
): Promise<void> {
  for (const command of commands) {
    const { isOk, stdout, stderr } = await runCommand(command, manager);
    if (isOk || command.mayFail === true) continue;
    const said = (stderr.trim() || stdout.trim() || 'it says nothing.').split('\n').slice(-3).join('\n');
    throw new PincerError('INTERNAL', `${commandText(command)} failed: ${said}`, {
      hint: `Look at ${manager.log}`,
    });
  }
}

export const commandText = ({ program, args }: ServiceCommand): string =>
  [program, ...args].map((word) => (/\s/.test(word) ? `"${word}"` : word)).join(' ');
