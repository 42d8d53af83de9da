/** Why nothing of this machine can be used, and what changes that. */
import { readConfigFile } from '../../config/read-file.ts';
import type { Environment } from '../../lib/process.ts';
import { PincerError } from '../../core/errors.ts';
import { valueAt } from '../../lib/record.ts';
import { configPath } from '../../owner/state-folder.ts';

export interface NotOffered {
  /** A sentence. */
  readonly why: string;
  readonly hint: string;
}

/** Undefined: neither the configuration nor the environment here is against it. */
export function notOfferedHere(home: string, env: Environment): NotOffered | undefined {
  if (isSwitchedOff(home))
    return {
      why: 'This machine is not offered: device.enabled is false.',
      hint: `Set "enabled" of "device" to true in ${configPath(home)}, and start the hub anew.`,
    };
  if (env['PINCER_DEVICE'] === 'off')
    return {
      why: 'This machine is not offered: PINCER_DEVICE is off.',
      hint: 'Start the hub without that variable.',
    };
  return undefined;
}

/** The same for a hub that runs, and has none: it may have been started otherwise than it would be now. */
export const notOfferedByHub = (home: string, env: Environment): NotOffered =>
  notOfferedHere(home, env) ?? {
    why: 'The hub that runs does not offer this machine.',
    hint: 'End it, and start it anew: pincer up. The hub that runs inside OpenClaw offers it once it is paired: pincer node pair. `pincer proxy` never does.',
  };

export const notOfferedError = ({ why, hint }: NotOffered): PincerError =>
  new PincerError('SERVER_UNKNOWN', why, { hint, data: { outcome: 'not_executed' } });

/** What is wrong with a file that cannot be read is said elsewhere. */
function isSwitchedOff(home: string): boolean {
  try {
    return valueAt(readConfigFile(configPath(home)), ['device', 'enabled']) === false;
  } catch {
    return false;
  }
}
