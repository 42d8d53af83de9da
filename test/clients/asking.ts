import { fileURLToPath } from 'node:url';

/** A server of the older era that asks its client something in the middle of a call. */
export const ASKING = {
  command: process.execPath,
  args: [fileURLToPath(new URL('../servers/everything/main.ts', import.meta.url)), '--era', 'legacy'],
};
