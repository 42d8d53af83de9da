import { fileURLToPath } from 'node:url';

const ENTRY = '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js';

/** The reference server of the protocol's authors, as the command of a pipe. */
export const EVERYTHING = {
  command: process.execPath,
  args: [fileURLToPath(new URL(ENTRY, import.meta.url))],
};
