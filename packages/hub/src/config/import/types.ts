/** The servers of another MCP client, translated to Pincer's settings. */
import type { Environment } from '../../lib/process.ts';

export interface ServerDraft {
  readonly url?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly connectTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  readonly toolFilter?: { readonly include?: readonly string[]; readonly exclude?: readonly string[] };
  readonly auth?: {
    readonly clientId?: string;
    readonly clientSecret?: string;
    readonly scopes?: readonly string[];
  };
}

export interface FoundServer {
  /** The server's name in the client. */
  readonly name: string;
  readonly draft: ServerDraft;
  /** The folder of its project; undefined if it is for all projects. */
  readonly project: string | undefined;
  /** The client signs in to it with OAuth. */
  readonly signsIn: boolean;
  /** Secrets that the draft refers to but whose values are unknown, each with its current place. */
  readonly needs: readonly Need[];
  /** Remarks for the person: what was left out or changed. */
  readonly notes: readonly string[];
}

export interface Need {
  readonly secret: string;
  readonly where: string;
}

export interface LeftOut {
  readonly name: string;
  readonly project: string | undefined;
  readonly reason: string;
}

export interface Reading {
  readonly found: readonly FoundServer[];
  readonly leftOut: readonly LeftOut[];
}

export interface ReaderInput {
  readonly text: string;
  readonly file: string;
  /** The project of the file; undefined for the person's own file. */
  readonly project: string | undefined;
  readonly home: string;
  /** The current folder. Servers of a project there take precedence. */
  readonly cwd: string;
  readonly env: Environment;
}

/** Starts nothing and opens no file. */
export type Reader = (input: ReaderInput) => Reading;
