/** What is called, and how it is spoken to. */
export interface Target {
  /** `sse` is HTTP+SSE of 2024-11-05: a stream to listen on, another address to post to. */
  variant: 'streamable' | 'sse';
  url: string;
  tool: string;
  /** Where there are several, every session calls another one. */
  tools?: readonly string[];
  headers: Record<string, string>;
  /** Another caller's headers: every second session is theirs. */
  otherHeaders?: Record<string, string>;
}

/** One legacy-era session. */
export interface Session {
  /** Calls the echo tool and resolves to the text that came back. */
  call(message: string): Promise<string>;
  close(): Promise<void>;
}
