/** What the configuration of another MCP client says, in our words. */
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
  /** As the client calls it. */
  readonly name: string;
  readonly draft: ServerDraft;
  /** The folder of the project that it is meant for; undefined: everywhere. */
  readonly project: string | undefined;
  /** The client signs in to it by itself. */
  readonly signsIn: boolean;
  /** Secrets that the draft refers to and that nobody has given us, and where each value is. */
  readonly needs: readonly Need[];
  /** What a person should know: what was left out, and what was changed. */
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
  /** The project whose file this is; undefined for the person's own. */
  readonly project: string | undefined;
  /** The person's home folder. */
  readonly home: string;
  /** The folder that Pincer was started in: a project there comes first. */
  readonly cwd: string;
  readonly env: Environment;
}

/** Pure: nothing is started, and no file is opened besides the text that was given. */
export type Reader = (input: ReaderInput) => Reading;
