/** The hub that our plugin keeps for a profile, as whoever has its state folder can reach it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readHubFile } from '../hub.ts';
import type { Profile } from './profile.ts';

export interface OwnHub {
  /** Pincer's own file, beside the plugin's part of OpenClaw's. */
  configFile: string;
  /** Undefined while there is none. */
  pid(): number | undefined;
  /** Where `/mcp` is. */
  origin(): string;
  mcpToken(): string;
  /** An action of the control API such as `GET status`; as the administrator, unless other headers are given. */
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
