import type { Decision } from '../connection.ts';
import type { Call } from './call-tool.ts';
import { serveTalk } from './talk-offer.ts';
import { serveTasks } from './tasks.ts';

/** What only a server that was told so has. Undefined: this server has no such method. */
export const serveMore = (call: Call): Decision | undefined =>
  (call.state.flags.talk ? serveTalk(call) : undefined) ??
  (call.state.flags.tasks ? serveTasks(call) : undefined);
