/** The servers of a folder: what the hub knows, and what the configuration says beyond that. */
import type { OutlinedServer } from './config-outline.ts';
import type { HubStatus } from './hub-status.ts';

export interface ServerRow {
  readonly name: string;
  readonly state: string;
  readonly transport: 'http' | 'stdio';
  readonly target: string;
  /** Undefined: nobody has asked it yet. */
  readonly tools: number | undefined;
  readonly pid: number | undefined;
  readonly error:
    | { readonly code: string; readonly message: string; readonly hint?: string | undefined }
    | undefined;
}

/** Without a hub: the configuration alone. */
export function serverRows(outline: readonly OutlinedServer[], status: HubStatus | undefined): ServerRow[] {
  const known: ServerRow[] = (status?.servers ?? []).map((server) => ({
    name: server.name,
    state: server.state,
    transport: server.transport,
    target: server.target,
    tools: server.tools === 0 && server.state !== 'ready' ? undefined : server.tools,
    pid: server.pid,
    error: server.error,
  }));
  const names = new Set(known.map(({ name }) => name));
  const rest = outline
    .filter(({ name }) => !names.has(name))
    .map(({ name, enabled, transport, target }) => ({
      name,
      state: !enabled ? 'disabled' : status === undefined ? 'idle' : 'not-loaded',
      transport,
      target,
      tools: undefined,
      pid: undefined,
      error: undefined,
    }));
  return [...known, ...rest];
}
