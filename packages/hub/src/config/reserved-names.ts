import { AGENT_SOURCE, DEVICE_SOURCE } from '../core/caller.ts';
import { ANONYMOUS_APP, SHARED_APP } from '../core/app-names.ts';

/** Names of servers that Pincer has itself, or may have one day. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([DEVICE_SOURCE, AGENT_SOURCE, SHARED_APP]);

/** Whoever comes without a token, where that is let in, is the app of this name. */
export const RESERVED_APP_NAMES: ReadonlySet<string> = new Set([...RESERVED_NAMES, ANONYMOUS_APP]);
