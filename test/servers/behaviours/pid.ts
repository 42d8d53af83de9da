import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { define, structured, type Tool } from '../tool.ts';

export const pid: Tool = {
  definition: define('pid', 'Returns { pid, ppid, pgid } of the server process.'),
  handle: () => structured({ pid: process.pid, ppid: process.ppid, pgid: processGroup() }),
};

function processGroup(): number {
  if (process.platform !== 'linux') {
    return Number(execFileSync('ps', ['-o', 'pgid=', '-p', String(process.pid)], { encoding: 'utf8' }));
  }
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // After the program's name in parentheses: state, ppid, pgrp.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
}
