import { spawn } from 'node:child_process';
import { define, structured, type Tool } from '../tool.ts';

const LIFETIME_MS = 600_000;

export const spawnGrandchild: Tool = {
  definition: define(
    'spawn_grandchild',
    'Starts a process that lives on, and returns its pid. detached: in a group of its own. inherit: holds our pipes.',
    { detached: 'boolean?', inherit: 'boolean?' },
  ),
  handle({ args }) {
    const child = spawn(process.execPath, ['-e', `setTimeout(() => {}, ${LIFETIME_MS})`], {
      detached: args['detached'] === true,
      stdio: args['inherit'] === true ? 'inherit' : 'ignore',
    });
    child.unref();
    return structured({ pid: child.pid ?? -1 });
  },
};
