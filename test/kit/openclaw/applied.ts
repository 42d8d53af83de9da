import { eventually } from '../processes.ts';
import type { Host } from './host.ts';

const APPLIED_MS = 60_000;

/** Waits until the gateway goes by a change of its file: a turn that begins before that may fail. */
export async function whenApplied(host: Host, path: string): Promise<void> {
  const isApplied = (line: string): boolean => line.includes('hot reload applied') && line.includes(path);
  const log = (): string => host.gateway().log();
  if (await eventually(() => log().split('\n').some(isApplied), APPLIED_MS)) return;
  throw new Error(`Not applied: ${path}\n${log().slice(-2_000)}`);
}
