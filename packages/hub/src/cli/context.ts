/** What every command needs to know of the process it runs in. */
import { wholeSearchPath } from '../lib/process.ts';
import { resolveStateFolder } from '../owner/state-folder.ts';

export interface Context {
  readonly home: string;
  /** The script that was run: a hub in the background is started with the same one. */
  readonly entry: string;
  readonly json: boolean;
  readonly debug: boolean;
}

export function createContext(json: boolean, debug: boolean): Context {
  // What Pincer starts, and what that starts, is never looked for in the folder that the person happens to be in.
  if (process.env['PATH'] !== undefined)
    process.env['PATH'] = wholeSearchPath(process.env['PATH'], process.platform);
  return { home: resolveStateFolder(process.env), entry: process.argv[1] ?? '', json, debug };
}
