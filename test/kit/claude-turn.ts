/** One whole turn of Claude Code without a person, on a scripted model. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeHome } from '../clients/home.ts';
import { PROGRAMS } from '../clients/programs.ts';
import { startModelEndpoint, type ModelEndpoint, type ToolUse } from './model-endpoint.ts';
import { MESSAGES_API } from './models/messages-api.ts';

export interface ClaudeTurn {
  /** The last text that Claude Code prints, which is the last tool result that the model received. */
  printed: string;
  model: ModelEndpoint;
}

export interface ClaudeTurnOptions {
  /** The hub's entry in `mcpServers`, under the name `pincer`. */
  entry: object;
  calls: readonly ToolUse[];
  /** If true, the model must search for tools before it sees them, as it does with many tools. */
  search?: boolean;
  /** Environment variables for Claude Code. */
  env?: Record<string, string>;
}

export const inClaude = (name: string): string => `mcp__pincer__${name}`;

export async function claudeTurn({
  entry,
  calls,
  search = false,
  env = {},
}: ClaudeTurnOptions): Promise<ClaudeTurn> {
  using home = makeHome();
  await using model = await startModelEndpoint(MESSAGES_API, calls);
  const config = join(home.folder, 'mcp.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { pincer: entry } }));
  const allowed = calls.map(({ name }) => name).join(',');
  const args = ['-p', 'say it', `--mcp-config=${config}`, '--strict-mcp-config', `--allowedTools=${allowed}`];
  const printed = await home.run(process.execPath, [PROGRAMS.claude, ...args], {
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'sk-none',
    ENABLE_TOOL_SEARCH: String(search),
    ...env,
  });
  return { printed, model };
}
