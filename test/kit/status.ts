/** The hub's status of its servers. */
import type { TestHub } from './hub.ts';
import { eventually } from './processes.ts';

export interface ServerStatus {
  name: string;
  state: string;
  inFlight: number;
  pid?: number;
  isStale: boolean;
  era?: string;
  stderr: string;
  error?: { code: string; message: string; hint?: string };
}

export async function serverStatus(hub: TestHub, name: string): Promise<ServerStatus> {
  const { value } = await hub.control('GET', 'status');
  const found = (value as { servers: ServerStatus[] }).servers.find((server) => server.name === name);
  if (found === undefined) throw new Error(`no status of ${name}`);
  return found;
}

/** Waits until exactly `count` calls to a server are in flight. */
export async function whenInFlight(hub: TestHub, server: string, count: number): Promise<void> {
  const came = await eventually(async () => (await serverStatus(hub, server)).inFlight === count);
  if (!came) throw new Error(`${server} never had ${count} calls in flight`);
}

/** Waits until a server is in this state. */
export async function whenState(hub: TestHub, server: string, state: string): Promise<void> {
  const came = await eventually(async () => (await serverStatus(hub, server)).state === state);
  if (!came) throw new Error(`${server} never became ${state}`);
}
