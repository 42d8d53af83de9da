/** The servers of a folder: what the hub knows, and what the configuration says beyond that. */
import type { OutlinedServer } from './outline.ts';
import type { HubStatus, ServerReport } from '../../client/status.ts';

export type ServerRow = Omit<ServerReport, 'tools' | 'stderr'> & {
  /** Undefined: nobody has asked it yet. */
  readonly tools: number | undefined;
  /** How many more wait for a person. */
  readonly held?: number | undefined;
};

/** Without a hub: the configuration alone. */
export function serverRows(outline: readonly OutlinedServer[], status: HubStatus | undefined): ServerRow[] {
  const known = (status?.servers ?? []).map(({ stderr: _stderr, ...server }) => ({
    ...server,
    tools: server.tools === 0 && server.state !== 'ready' ? undefined : server.tools,
    held: (status?.held ?? []).filter((tool) => tool.server === server.name).length,
  }));
  const names = new Set(known.map(({ name }) => name));
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
  return [...known, ...rest];
}
