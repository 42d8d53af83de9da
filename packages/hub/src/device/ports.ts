/** What capabilities need from the machine. */
import type { Environment } from '../lib/environment.ts';
import type { Clock, Log } from '../core/ports.ts';
import type { RunProgram } from '../core/program.ts';

export interface DevicePorts {
  readonly platform: NodeJS.Platform;
  /** Of the hub itself; what a program gets of it is chosen, never all. */
  readonly env: Environment;
  readonly clock: Clock;
  readonly log: Log;
  readonly run: RunProgram;
  /** The state folder. */
  readonly home: string;
}
