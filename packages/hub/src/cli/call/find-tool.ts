import { PincerError } from '../../core/errors.ts';
import { ask, type HubClient } from '../hub/client.ts';

export interface ToolReport {
  readonly server: string;
  readonly name: string;
  readonly definition: ToolDefinition;
}

export interface ToolDefinition {
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** The tool as its server describes it; throws with the name that was probably meant. */
export async function findTool(hub: HubClient, server: string, name: string): Promise<ToolReport> {
  try {
    return await ask<ToolReport>(hub, 'GET tool', { query: { server, name } });
  } catch (error) {
    if (!PincerError.is(error)) throw error;
    if (error.code !== 'SERVER_UNKNOWN' && error.code !== 'TOOL_UNKNOWN') throw error;
    const { explainServer, explainTool } = await import('./explain.ts');
    const known = (error.data?.['known'] ?? []) as string[];
    throw error.code === 'SERVER_UNKNOWN'
      ? await explainServer(hub, server, name)
      : await explainTool(hub, server, name, known);
  }
}
