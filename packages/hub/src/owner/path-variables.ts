/** Variables of the hub that name files and folders. A hub leaves the folder that it was started in, so they must be whole. */
import { resolve } from 'node:path';
import type { Environment } from '../lib/process.ts';

const NAMES = [
  'PINCER_HOME',
  'PINCER_MASTER_KEY_FILE',
  'OPENCLAW_STATE_DIR',
  'OPENCLAW_CONFIG_PATH',
  'OPENCLAW_HOME',
];

/** Those that are set, as they are meant in this process' folder. */
export const wholePathVariables = (env: Environment): Record<string, string> =>
  Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = env[name];
      return value === undefined || value === '' || value.startsWith('~') ? [] : [[name, resolve(value)]];
    }),
  );
