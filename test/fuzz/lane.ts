/** One of several clients that fuzz a surface at the same time, each with a sequence of its own. */
export interface Lane {
  name: string;
  seed: string;
  messages: number;
  paths: readonly string[];
  /** Of tool names. */
  prefixes: readonly string[];
  /** After each message. */
  onMessage(): Promise<void>;
}
