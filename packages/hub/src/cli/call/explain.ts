/** What a call that found no server or no tool should have said; loaded only when one did. */
import { PincerError } from '../../core/errors.ts';
import { ask, type HubClient } from '../hub/client.ts';
import type { HubStatus } from '../hub/status.ts';
import { closest } from '../../core/closest.ts';

export async function unknownServer(hub: HubClient, server: string, tool?: string): Promise<PincerError> {
  const { servers } = await ask<HubStatus>(hub, 'GET status');
  const names = servers.map(({ name }) => name);
  const near = closest(server, names);
  const hint =
    near !== undefined
      ? `Did you mean ${near}${tool === undefined ? '' : `.${tool}`}?`
      : names.length === 0
        ? 'No server is configured yet: `pincer add NAME URL` adds one.'
        : `Configured are ${names.join(', ')}.`;
  return new PincerError('SERVER_UNKNOWN', `No server "${server}" is configured.`, {
    hint,
    data: tool === undefined ? undefined : NOT_RUN,
  });
}

/** A tool may be unknown because its server could not be asked. */
export async function unknownTool(
  hub: HubClient,
  server: string,
  tool: string,
  known: readonly string[],
): Promise<PincerError> {
  if (known.length === 0) {
    const { servers } = await ask<HubStatus>(hub, 'GET status');
    const status = servers.find(({ name }) => name === server);
    if (status?.error !== undefined) {
      const { message, hint } = status.error;
      return new PincerError('SERVER_UNREACHABLE', message, { hint, data: NOT_RUN });
    }
  }
  const near = closest(tool, known);
  const hint = near === undefined ? `Run \`pincer tools ${server}\`.` : `Did you mean ${server}.${near}?`;
  return new PincerError('TOOL_UNKNOWN', `Server "${server}" has no tool "${tool}".`, {
    hint,
    data: NOT_RUN,
  });
}

const NOT_RUN = { outcome: 'not_executed' };
