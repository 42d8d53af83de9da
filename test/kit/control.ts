/** Of a control action: its client stays, and wants to hear of nothing but the answer. */
export const NO_CLIENT = { signal: new AbortController().signal, tell: (): void => undefined };
