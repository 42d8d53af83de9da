/** Finds the hub of a state folder. Every client command starts here: keep its imports as few as they are. */
import { isAlive, readHubFile, type HubFile } from './hub-file.ts';

/** Undefined when no hub runs on the folder. Does not ask the hub whether it is well. */
export function findHub(home: string): HubFile | undefined {
  const hubFile = readHubFile(home);
  return hubFile !== undefined && isAlive(hubFile) ? hubFile : undefined;
}
