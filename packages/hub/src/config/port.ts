/** Chooses the port of the local listener. Small on purpose: `pincer doctor` uses it without loading the rest. */
import type { Environment } from '../lib/process.ts';
import { PincerError } from '../core/errors.ts';

const DEFAULT_PORT = 8765;
const VARIABLE = 'OPENCLAW_MCP_PORT';

export interface ChosenPort {
  readonly port: number;
  /** The setting that set it, or that would change it. */
  readonly setting: string;
}

/** Uses the environment, then `device.port`, then 8765; 0 means any free port. */
export function choosePort(env: Environment, configured: number | undefined): ChosenPort {
  const text = env[VARIABLE];
  if (text === undefined || text === '') return { port: configured ?? DEFAULT_PORT, setting: 'device.port' };
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return { port, setting: VARIABLE };
  throw new PincerError('CONFIG_INVALID', `${VARIABLE} is "${text}", which is not a port.`, {
    hint: 'Use a number from 0 to 65535; 0 picks a free port.',
    data: { path: VARIABLE },
  });
}
