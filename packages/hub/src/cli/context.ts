/** What every command knows about its process. */
import { wholeSearchPath } from '../lib/process.ts';
import { resolveStateFolder } from '../owner/state-folder.ts';

export interface Context {
  readonly home: string;
  /** The script that is running. A background hub is started with the same one. */
  readonly entry: string;
  readonly json: boolean;
  readonly debug: boolean;
}

export function createContext(json: boolean, debug: boolean): Context {
  // Relative folders in PATH are removed: a program in the current folder must not run by accident.
  if (process.env['PATH'] !== undefined)
    process.env['PATH'] = wholeSearchPath(process.env['PATH'], process.platform);
  return { home: resolveStateFolder(process.env), entry: process.argv[1] ?? '', json, debug };
}
