import type { Environment } from '../../lib/process.ts';
import { portIn, readConfigFile } from '../../config/read-file.ts';
import { choosePort } from '../../config/port.ts';
import { findHub } from '../../owner/hub-file.ts';
import { configPath } from '../../owner/state-folder.ts';

/** The port that a hub of ours would take, and that of the one that runs. */
export function ownPorts(home: string, env: Environment): number[] {
  const running = findHub(home)?.endpoints.mcp;
  return [chosenPort(home, env), ...(running === undefined ? [] : [Number(new URL(running).port)])];
}

/** A configuration that is broken names no port; whoever wants to use it hears of that elsewhere. */
function chosenPort(home: string, env: Environment): number {
  try {
    return choosePort(env, portIn(readConfigFile(configPath(home)))).port;
  } catch {
    return choosePort({}, undefined).port;
  }
}
