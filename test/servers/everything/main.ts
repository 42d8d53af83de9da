/** The server that the official conformance suite requires, on the official SDK. Its flags are in flags.ts. */
import { parseFlags } from './flags.ts';
import { createState } from './state.ts';
import { serveHttp } from './transports/http.ts';
import { servePipe } from './transports/stdio.ts';

const flags = parseFlags(process.argv.slice(2));
const state = createState(flags.era);

// The parent process has exited, so no other process would stop this one.
process.on('disconnect', () => process.exit(0));

if (flags.transport === 'http') serveHttp(state, flags);
else await servePipe(state, flags.era);
