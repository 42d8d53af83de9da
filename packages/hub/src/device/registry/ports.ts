/** What capabilities need from the machine. */
import type { Clock, Log } from '../../core/ports.ts';
import type { RunProgram } from '../../core/program.ts';
import type { Environment } from '../../lib/process.ts';

export interface DevicePorts {
  readonly platform: NodeJS.Platform;
  /** The environment of the hub. Programs get a selection of it. */
  readonly env: Environment;
  readonly clock: Clock;
  readonly log: Log;
  readonly run: RunProgram;
  /** The state folder. */
  readonly home: string;
}
