import { PincerError } from '../../core/errors.ts';
import { ask, type HubClient } from '../../control/client/hub-client.ts';
import type { ToolReport } from '../../control/contract/servers.ts';

/** How long to wait for a server that has not listed its tools yet, unless --timeout is given. */
const START_WAIT_MS = 60_000;

interface Wanted {
  readonly server: string;
  readonly tool: string;
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal;
}

/** Returns the tool's definition. If it is unknown, throws an error that suggests a similar name. */
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
