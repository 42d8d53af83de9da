/** The state folder and the token files in it: there, ours, and for our eyes only. */
import { readFileSync, statSync, type Stats } from 'node:fs';
import { adminTokenPath, configPath, mcpTokenPath } from '../../owner/state-folder.ts';
import { shellWord } from '../../lib/text.ts';
import { error, ok, warn, type Finding } from './finding.ts';

export function checkFolder(home: string): Finding[] {
  const stats = statOf(home);
  if (stats === undefined)
    return [ok(home, 'The state folder is not there yet; the first command makes it.')];
  if (!stats.isDirectory())
    return [
      error('CONFIG_INVALID', home, 'The state folder is not a folder.', 'Set PINCER_HOME to a folder.'),
    ];
  return [checkMode(home, stats, 0o700, 'The state folder')];
}

export function checkTokens(home: string): Finding[] {
  return [
    checkToken(mcpTokenPath(home), 'The MCP token'),
    checkToken(adminTokenPath(home), 'The admin token'),
  ];
}

export function checkConfigMode(home: string): Finding[] {
  const path = configPath(home);
  const stats = statOf(path);
  const finding = stats === undefined ? undefined : checkMode(path, stats, 0o600, 'The configuration');
  return finding === undefined || finding.severity === 'ok' ? [] : [finding];
}

function checkToken(path: string, name: string): Finding {
  const stats = statOf(path);
  if (stats === undefined) return ok(path, `${name} is not there yet; the hub makes it when it starts.`);
  try {
    if (readFileSync(path, 'utf8').trim() === '')
      return warn(path, `${name} is empty.`, 'Start the hub again: it makes a new one.');
  } catch {
    return error(
      'TOKEN_UNREADABLE',
      path,
      `${name} cannot be read.`,
      `Check who owns it: ls -l ${shellWord(path)}`,
    );
  }
  return checkMode(path, stats, 0o600, name);
}

function checkMode(path: string, { mode }: Stats, wanted: number, name: string): Finding {
  // Windows knows no such modes.
  if (process.platform === 'win32') return ok(path, `${name} is there.`);
  const octal = (mode & 0o777).toString(8).padStart(4, '0');
  if ((mode & 0o077) === 0) return ok(path, `${name} is yours alone (${octal}).`);
  return warn(
    path,
    `${name} is open to others on this machine (${octal}).`,
    `chmod ${wanted.toString(8)} ${shellWord(path)}`,
  );
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
