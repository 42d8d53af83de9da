/** The rows of a server list: the servers that the hub knows, and those that are only in the configuration. */
import { failedText, type FailedServer } from '../../core/config-problem.ts';
import type { OutlinedServer } from './outline.ts';
import type { HubStatus, ServerReport } from '../../control/contract/status.ts';

export type ServerRow = Omit<ServerReport, 'tools' | 'stderr'> & {
  /** Undefined if the tools are not listed yet. */
  readonly tools: number | undefined;
  /** Number of held tools. */
  readonly held?: number | undefined;
};

/** Without a hub, uses only the configuration. `failed`: servers that a hub could not use. */
export function serverRows(
  outline: readonly OutlinedServer[],
  status: HubStatus | undefined,
  failed: readonly FailedServer[] = [],
): ServerRow[] {
  const known = (status?.servers ?? []).map(({ stderr: _stderr, ...server }) => ({
    ...server,
    tools: server.tools === 0 && server.state !== 'ready' ? undefined : server.tools,
    held: (status?.held ?? []).filter((tool) => tool.server === server.name).length,
  }));
  const wrong = failed.map(failedRow);
  const names = new Set([...known, ...wrong].map(({ name }) => name));
  const rest = outline
    .filter(({ name }) => !names.has(name))
    .map(({ name, enabled, transport, target, origin }) => ({
      name,
      origin,
      state: !enabled ? 'disabled' : status === undefined ? 'idle' : 'not-loaded',
      transport,
      target,
      tools: undefined,
    }));
  return [...known, ...rest, ...wrong];
}

function failedRow(server: FailedServer): ServerRow {
  const { name, enabled, transport, shown, origin, problems } = server;
  const { code, hint, setting, file, line } = problems[0]!;
  return {
    name,
    origin,
    state: enabled ? 'failed' : 'disabled',
    transport,
    target: shown,
    tools: undefined,
    isMisconfigured: true,
    error: { code, message: failedText(server), hint, setting, file, line },
  };
}
