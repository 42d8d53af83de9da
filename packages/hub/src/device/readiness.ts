/** Checks what this machine can do, without a hub. */
import type { Config } from '../config/schema.ts';
import type { Environment } from '../lib/process.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import type { Log } from '../core/ports.ts';
import { clock } from '../lib/time.ts';
import { createPrograms } from '../owner/run-program.ts';
import { describeGroup } from '../owner/end-processes.ts';
import type { CapabilityReadiness } from './registry/registry.ts';
import { createDevice } from './device.ts';

export interface Here {
  readonly home: string;
  readonly env: Environment;
  readonly config: Config;
}

export async function readinessHere({ home, env, config }: Here): Promise<readonly CapabilityReadiness[]> {
  const device = createDevice({
    home,
    env,
    platform: process.platform,
    clock,
    log: SILENT,
    limits: DEFAULT_LIMITS,
    run: createPrograms(NO_JOURNAL).run,
    config: () => config,
    line: nothing,
    onOffer: () => undefined,
  });
  try {
    return await device.registry.readiness();
  } finally {
    await device.stop();
  }
}

const nothing = (): undefined => undefined;
const SILENT: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** Programs of a readiness check end before this process does, so they need no journal. */
const NO_JOURNAL = { started: (pid: number) => describeGroup(pid), ended: nothing, close: nothing };
