/** A subject: a program that puts HTTP in front of an MCP server. Defines how to start it and where it answers. */
import type { Target } from '../load/target.ts';

export type HttpCase = 'stdio' | 'http';

/** The server behind: a command to run, or an address. */
export type Upstream = { kind: 'stdio'; command: string; args: string[] } | { kind: 'http'; url: string };

export interface Launch {
  command: string;
  args: string[];
  env?: Record<string, string>;
  /** Resolves as soon as the address is known, even if it does not answer yet. */
  target(): Promise<Target>;
  /** The proxy's other own processes, if it has more than one. */
  companions?(): number[];
}

export interface Subject {
  name: string;
  kind: 'pincer' | 'floor' | 'peer';
  /** The exact version, or another identification of the build. */
  version(): string;
  /** Cases it cannot do, with the reason. */
  cannot: Partial<Record<HttpCase, string>>;
  prepare(upstream: Upstream, folder: string): Promise<Launch>;
}
