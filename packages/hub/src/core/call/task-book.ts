/**
 * The hub's own ids for tasks. Each server makes its ids up by itself, so two servers may use the same one. A caller
 * sees only ids of the hub: random, and good for one caller and one server.
 */
import { correlationId } from '../../lib/correlation-id.ts';

/** The ids of one caller's tasks at one server. */
export interface TaskIds {
  /** The hub's id for a task of the server; the same each time. */
  toCaller(task: string): string;
  /** The server's id; undefined if the caller has no such task at this server. */
  toServer(id: string): string | undefined;
}

export interface TaskBook {
  of(caller: string, server: string): TaskIds;
  /** Undefined if unknown, or another caller's; deliberately indistinguishable. */
  find(caller: string, id: string): FoundTask | undefined;
}

export interface FoundTask {
  readonly server: string;
  /** The server's own id. */
  readonly task: string;
}

interface KeptTask extends FoundTask {
  readonly origin: string | undefined;
}

interface CallerTasks {
  readonly byId: Map<string, KeptTask>;
  /** By server, then by the server's id. */
  readonly ids: Map<string, Map<string, string>>;
}

/** Tasks that are remembered per caller and server; the oldest is forgotten first. A longer id is not remembered. */
const MAX_TASKS = 10_000;
const MAX_ID = 1_024;

/** `origin`: what a server is besides its name. Another program under an old name has none of the old one's tasks. */
export function createTaskBook(origin: (server: string) => string | undefined = () => undefined): TaskBook {
  const byCaller = new Map<string, CallerTasks>();

  function find(caller: string, id: string): KeptTask | undefined {
    const kept = byCaller.get(caller)?.byId.get(id);
    return kept !== undefined && kept.origin === origin(kept.server) ? kept : undefined;
  }

  function tasksOf(caller: string): CallerTasks {
    const tasks = byCaller.get(caller) ?? { byId: new Map(), ids: new Map() };
    byCaller.set(caller, tasks);
    return tasks;
  }

  function idOf(caller: string, server: string, task: string): string {
    const { byId, ids } = tasksOf(caller);
    const known = ids.get(server)?.get(task);
    if (known !== undefined && find(caller, known) !== undefined) return known;
    const id = correlationId();
    if (task.length > MAX_ID) return id;
    const ofServer = ids.get(server) ?? new Map<string, string>();
    ids.set(server, ofServer);
    if (known !== undefined) byId.delete(known);
    ofServer.set(task, id);
    byId.set(id, { server, task, origin: origin(server) });
    if (ofServer.size > MAX_TASKS) {
      const [oldest, its] = ofServer.entries().next().value!;
      ofServer.delete(oldest);
      byId.delete(its);
    }
    return id;
  }

  return {
    of: (caller, server) => ({
      toCaller: (task) => idOf(caller, server, task),
      toServer(id) {
        const found = find(caller, id);
        return found?.server === server ? found.task : undefined;
      },
    }),
    find,
  };
}
