/** The processes besides the gateway, and their memory with shared pages counted proportionally. */
import { readFileSync } from 'node:fs';
import { readTree } from '../process/proc.ts';

export interface Beyond {
  processes: number;
  pssBytes: number;
}

/** The launcher, the gateway, and the helpers it has without any MCP server. */
const OWN = [
  /\bopenclaw\.mjs\0gateway\0/,
  /^openclaw-gateway\b/,
  /\/process\/spawn-broker\/worker\.js\0/,
  /\/infra\/sqlite-[\w-]+\.worker\.js\0/,
];

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** proc(5): the sum over all mappings. */
function pssOf(pid: number): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

export function beyondGateway(gateway: number, outside: readonly number[]): Beyond {
  const pids = readTree([gateway, ...outside]).map(({ pid }) => pid);
  const others = pids.filter((pid) => {
    const command = commandOf(pid);
    return command !== '' && !OWN.some((pattern) => pattern.test(command));
  });
  return { processes: others.length, pssBytes: others.reduce((sum, pid) => sum + pssOf(pid), 0) };
}
