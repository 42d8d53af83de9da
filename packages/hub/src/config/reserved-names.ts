/** Names of servers that Pincer may have itself one day. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(['device', 'agent', 'apps']);

/** Whoever comes without a token, where that is let in, is the app of this name. */
export const RESERVED_APP_NAMES: ReadonlySet<string> = new Set([...RESERVED_NAMES, 'anonymous']);
