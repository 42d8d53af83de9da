/** What every command needs to know of the process it runs in. */
import { resolveStateFolder } from '../owner/state-folder.ts';

export interface Context {
  readonly home: string;
  /** The script that was run: a hub in the background is started with the same one. */
  readonly entry: string;
  readonly json: boolean;
  readonly debug: boolean;
}

export const createContext = (json: boolean, debug: boolean): Context => ({
  home: resolveStateFolder(process.env),
  entry: process.argv[1] ?? '',
  json,
  debug,
});
