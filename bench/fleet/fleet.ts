/** The servers behind every subject: this many with ten tools each. */
import { join } from 'node:path';
import { BENCH_FOLDER } from '../process/folders.ts';

export const SERVERS = 50;
export const TOOLS = SERVERS * 10;
/** The default of `maxConcurrentServers`. */
export const AT_ONCE = 20;

/** `hand` starts as fast as Node and shows all overhead around it; `sdk` is typical of real servers. */
export type Kind = 'hand' | 'sdk';

export const KINDS: readonly Kind[] = ['hand', 'sdk'];

export const programOf = (kind: Kind): string => join(BENCH_FOLDER, 'fleet', `by-${kind}.mjs`);

const nameOf = (index: number): string => `s${String(index).padStart(2, '0')}`;

export const serverConfigs = (kind: Kind): Record<string, object> =>
  Object.fromEntries(
    Array.from({ length: SERVERS }, (_, index) => [
      nameOf(index),
      { command: process.execPath, args: [programOf(kind)] },
    ]),
  );

/** One tool of each server. */
export const EXPOSED_TOOLS: readonly string[] = Array.from(
  { length: SERVERS },
  (_, index) => `${nameOf(index)}__echo_3`,
);

/** A clock shared by all processes. */
export const wallClockMs = (): number => performance.timeOrigin + performance.now();
