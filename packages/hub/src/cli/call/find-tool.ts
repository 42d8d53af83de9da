import { PincerError } from '../../core/errors.ts';
import { ask, type HubClient } from '../../control/client/hub-client.ts';
import type { ToolReport } from '../../control/contract/servers.ts';

/** How long a server that has never been heard may take to start, unless --timeout says otherwise. */
const START_WAIT_MS = 60_000;

interface Wanted {
  readonly server: string;
  readonly tool: string;
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal;
}

/** The tool as its server describes it; throws with the name that was probably meant. */
export async function findTool(
  hub: HubClient,
  { server, tool: name, timeoutMs, signal }: Wanted,
): Promise<ToolReport> {
  try {
    return await ask(hub, 'GET tool', {
      query: { server, name, wait: timeoutMs ?? START_WAIT_MS },
      signal,
    });
  } catch (error) {
    if (!PincerError.is(error)) throw error;
    if (error.code === 'CALL_CANCELLED') throw neverSent(error);
    if (error.code !== 'SERVER_UNKNOWN' && error.code !== 'TOOL_UNKNOWN') throw error;
    const { explainServer, explainTool } = await import('./explain.ts');
    const known = (error.data?.['known'] ?? []) as string[];
    throw error.code === 'SERVER_UNKNOWN'
      ? await explainServer(hub, server, name)
      : await explainTool(hub, server, name, known);
  }
}

const neverSent = (cause: PincerError): PincerError =>
  new PincerError('CALL_CANCELLED', 'Cancelled. The call was not sent.', {
    data: { outcome: 'not_executed' },
    cause,
  });
