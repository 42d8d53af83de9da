/** PowerShell of Windows itself. A script is ours and has no text of anybody else's in it: those are variables, or on stdin. */
import type { Environment } from '../lib/process.ts';
import type { CommandLine } from './program.ts';

export const powershell = (script: string, env: Environment): CommandLine => ({
  command: `${env['SystemRoot'] ?? String.raw`C:\Windows`}\\System32\\WindowsPowerShell\\v1.0\\powershell.exe`,
  args: [
    '-NoProfile',
    '-NonInteractive',
    '-EncodedCommand',
    Buffer.from(script, 'utf16le').toString('base64'),
  ],
});
