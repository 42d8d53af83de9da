/**
 * Which commands the gateway lets people and agents use. A node is not told; but of tools that it publishes the gateway answers with
 * those whose command may be used. So one tool for each command is published, and at once replaced by those that are meant. A busy
 * gateway may take the two requests in the other order; it answers them in the order in which it took them.
 */
import { isRecord } from '../../core/is-record.ts';
import { textAt } from '../../core/text-at.ts';
import type { PublishedTool } from './parts.ts';
import { descriptorOf } from './published.ts';

type Request = (method: string, params: object) => Promise<unknown>;

const UPDATE = 'node.pluginTools.update';

export async function survey(
  request: Request,
  commands: readonly string[],
  tools: readonly PublishedTool[],
): Promise<readonly string[]> {
  const meant = { tools: tools.map(descriptorOf) };
  let isReplaced = false;
  const [answer] = await Promise.all([
    request(UPDATE, { tools: commands.map(probe) }).finally(() => (isReplaced = false)),
    request(UPDATE, meant).finally(() => (isReplaced = true)),
  ]);
  if (!isReplaced) await request(UPDATE, meant);
  const kept = isRecord(answer) && Array.isArray(answer['tools']) ? answer['tools'].filter(isRecord) : [];
  const usable = new Set(kept.map((tool) => textAt(tool, 'command')));
  return commands.filter((command) => usable.has(command));
}

const probe = (command: string, index: number): object => ({
  pluginId: 'pincer',
  name: `pincer_probe_${index}`,
  description: `Whether ${command} may be used.`,
  command,
});
