/** Names of servers that Pincer may have itself one day. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(['device', 'agent', 'apps']);
