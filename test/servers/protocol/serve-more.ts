import type { Decision } from '../connection.ts';
import type { Call } from './call-tool.ts';
import { serveTalk } from './talk-offer.ts';
import { serveTasks } from './tasks.ts';

/** Handles methods that need a flag. Returns undefined if the server has no such method. */
export const serveMore = (call: Call): Decision | undefined =>
  (call.state.flags.talk ? serveTalk(call) : undefined) ??
  (call.state.flags.tasks ? serveTasks(call) : undefined);
