import type { Program } from '../kit/stdio.ts';

/** Where the hub is: its endpoint with the token, or the command of a pipe. */
export type Target = { url: string; token: string } | (Program & { stderr?: 'ignore' });

/** What the suite asks of every client that is a library. */
export interface ToolClient extends AsyncDisposable {
  /** The revision that was agreed on. */
  version: string | undefined;
  listTools(): Promise<string[]>;
  callTool(name: string, args: Record<string, unknown>): Promise<object>;
}

export const CLIENT_INFO = { name: 'pincer-clients', version: '1.0.0' };
