/** All that a server lists, each list as it came. */
import type { Asker } from './asker.ts';

export interface Lists {
  tools: { name: string }[];
  prompts: { name: string }[];
  resources: { uri: string }[];
  resourceTemplates: { uriTemplate: string }[];
}

export async function listsOf(asker: Asker): Promise<Lists> {
  /** A server without them need not know the method. */
  const list = async (method: string, member: string): Promise<never[]> => {
    const result = await asker.ask(method).catch((error: { code?: number }) => {
      if (error.code !== -32601) throw error;
      return {};
    });
    return ((result as Record<string, unknown>)[member] ?? []) as never[];
  };
  return {
    tools: await list('tools/list', 'tools'),
    prompts: await list('prompts/list', 'prompts'),
    resources: await list('resources/list', 'resources'),
    resourceTemplates: await list('resources/templates/list', 'resourceTemplates'),
  };
}
