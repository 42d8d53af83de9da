import { PincerError } from '../../core/errors.ts';
import { ask, type HubClient } from '../../client/hub-client.ts';
import type { ToolReport } from '../../client/tool-report.ts';

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
