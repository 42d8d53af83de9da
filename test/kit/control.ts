/** For control actions: a client that never disconnects and ignores all notifications. */
export const NO_CLIENT = { signal: new AbortController().signal, tell: (): void => undefined };
