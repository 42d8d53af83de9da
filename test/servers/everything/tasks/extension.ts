/** The extension `io.modelcontextprotocol/tasks` (SEP-2663): its name, and a check whether a client declared it. */
import { MissingRequiredClientCapabilityError, type ClientCapabilities } from '@modelcontextprotocol/server';

export const TASKS = 'io.modelcontextprotocol/tasks';

export const declaresTasks = ({ extensions }: ClientCapabilities): boolean =>
  extensions?.[TASKS] !== undefined;

export function assertTasks(capabilities: ClientCapabilities): void {
  if (!declaresTasks(capabilities))
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS]: {} } } });
}
