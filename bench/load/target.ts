/** The address to call, and the protocol to use. */
export interface Target {
  /** `sse` is HTTP+SSE of 2024-11-05: a stream for answers, another address for requests. */
  variant: 'streamable' | 'sse';
  url: string;
  tool: string;
  /** With several tools, sessions are distributed over them. */
  tools?: readonly string[];
  headers: Record<string, string>;
  /** Headers of another caller, used by every second session. */
  otherHeaders?: Record<string, string>;
}

/** One legacy-era session. */
export interface Session {
  /** Calls the echo tool and returns its text. */
  call(message: string): Promise<string>;
  close(): Promise<void>;
}
