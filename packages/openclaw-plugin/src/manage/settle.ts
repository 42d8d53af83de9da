import { PincerError, visible } from 'pincer/client';
import type { ManageContext } from './subcommand.ts';

/** Waits until agents have what a command has changed. Returns what the person should know of that. */
export async function settled({ settle }: ManageContext, isRepair = false): Promise<string[]> {
  try {
    const changed = await settle(isRepair);
    return isRepair && changed.length > 0 ? [`Repaired in mcp.servers: ${changed.join(', ')}`] : [];
  } catch (error) {
    return [`The entries in mcp.servers could not be written: ${visible(PincerError.from(error).message)}`];
  }
}
