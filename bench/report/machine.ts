/** The machine and the source revision of a run. */
import { execFileSync } from 'node:child_process';
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os';
import { ROOT_FOLDER } from '../process/folders.ts';
import type { MachineFacts } from './result.ts';

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT_FOLDER, encoding: 'utf8' }).trim();
}

export function sourceState(): { commit: string; uncommittedChanges: boolean } {
  return {
    commit: git('rev-parse', '--short', 'HEAD'),
    uncommittedChanges: git('status', '--porcelain') !== '',
  };
}

export function machineFacts(loadAverageBefore: number[]): MachineFacts {
  return {
    node: process.version,
    platform: `${platform()} ${release()} ${arch()}`,
    cpu: cpus()[0]?.model ?? 'unknown',
    cpus: cpus().length,
    memoryGB: Math.round(totalmem() / 1024 ** 3),
    loadAverageBefore,
    loadAverageAfter: loadavg(),
  };
}
