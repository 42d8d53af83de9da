/** The hub that the plugin starts for a profile, reached through its state folder. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readHubFile } from '../hub.ts';
import type { Profile } from './profile.ts';

export interface OwnHub {
  /** Pincer's own configuration file, beside the plugin's part of OpenClaw's file. */
  configFile: string;
  /** Undefined if no hub runs. */
  pid(): number | undefined;
  /** The address of the listener with `/mcp`. */
  origin(): string;
  mcpToken(): string;
  /** Runs an action of the control API such as `GET status`, by default as the administrator. */
  control(action: string, body?: object, headers?: Record<string, string>): Promise<Response>;
}

export function ownHub({ state }: Profile): OwnHub {
  const home = join(state, 'mcp');
  const tokenIn = (file: string): string => readFileSync(join(home, file), 'utf8').trim();
  const endpoints = (): { mcp: string; control: string } => readHubFile(home)!['endpoints'] as never;
  return {
    configFile: join(home, 'config.json'),
    pid: () => readHubFile(home)?.['pid'] as number | undefined,
    origin: () => new URL(endpoints().mcp).origin,
    mcpToken: () => tokenIn('mcp-token.txt'),
    control(action, body, headers = { authorization: `Bearer ${tokenIn('admin-token.txt')}` }) {
      const [method, path] = action.split(' ') as [string, string];
      return fetch(endpoints().control + path, {
        method,
        headers: { ...headers, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
    },
  };
}
