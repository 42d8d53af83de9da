/** Explains why this machine is not offered, and how to change that. */
import { readConfigFile } from '../../config/read-file.ts';
import type { Environment } from '../../lib/process.ts';
import { PincerError } from '../../core/errors.ts';
import { valueAt } from '../../lib/record.ts';
import { configPath } from '../../owner/state-folder.ts';

export interface NotOffered {
  readonly why: string;
  readonly hint: string;
}

/** Returns undefined if neither the configuration nor the environment forbids it. */
export function notOfferedHere(home: string, env: Environment): NotOffered | undefined {
  if (isSwitchedOff(home))
    return {
      why: 'This machine is not offered: device.enabled is false.',
      hint: `Set "device.enabled" to true in ${configPath(home)}, then restart the hub: pincer up`,
    };
  if (env['PINCER_DEVICE'] === 'off')
    return {
      why: 'This machine is not offered: PINCER_DEVICE is off.',
      hint: 'Start the hub without this variable.',
    };
  return undefined;
}

/** For a running hub, which may have been started with other settings than the current ones. */
export const notOfferedByHub = (home: string, env: Environment): NotOffered =>
  notOfferedHere(home, env) ?? {
    why: 'The running hub does not offer this machine.',
    hint: 'Stop it, then start it with: pincer up. A hub inside OpenClaw offers this machine after pairing: pincer node pair. `pincer proxy` never offers it.',
  };

export const notOfferedError = ({ why, hint }: NotOffered): PincerError =>
  new PincerError('SERVER_UNKNOWN', why, { hint, data: { outcome: 'not_executed' } });

/** An unreadable file is reported elsewhere. */
function isSwitchedOff(home: string): boolean {
  try {
    return valueAt(readConfigFile(configPath(home)), ['device', 'enabled']) === false;
  } catch {
    return false;
  }
}
