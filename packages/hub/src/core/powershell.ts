/** Windows' own PowerShell. Scripts are fixed: foreign text is passed as variables or on stdin, never inside a script. */
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
