/** The server that the official conformance suite asks for, on the official SDK; flags.ts says what it can be told. */
import { parseFlags } from './flags.ts';
import { createState } from './state.ts';
import { serveHttp } from './transports/http.ts';
import { servePipe } from './transports/stdio.ts';

const flags = parseFlags(process.argv.slice(2));
const state = createState(flags.era);

// Whoever started us over an IPC channel is gone: nobody will stop us any more.
process.on('disconnect', () => process.exit(0));

if (flags.transport === 'http') serveHttp(state, flags);
else await servePipe(state, flags.era);
