/** A fixture MCP server as a program. Its flags are in flags.ts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseFlags } from './flags.ts';
import { createState } from './state.ts';
import { serveHttp } from './transports/http.ts';
import { serveSse } from './transports/sse.ts';
import { serveStdio } from './transports/stdio.ts';

const flags = parseFlags(process.argv.slice(2));
const state = createState(flags);

if (flags.ignoreSigterm) process.on('SIGTERM', () => {});
// The parent process has exited, so no other process would stop this one.
process.on('disconnect', () => process.exit(0));

await sleep(flags.startDelay);
if (flags.transport === 'http') serveHttp(state);
else if (flags.transport === 'sse') serveSse(state);
else serveStdio(state);
