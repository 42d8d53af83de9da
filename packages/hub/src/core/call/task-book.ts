/** Which server runs a task, and who started it: nobody else may ask for it. */
export interface TaskBook {
  remember(caller: string, task: string, server: string): void;
  /** The server that runs this caller's task. */
  find(caller: string, task: string): string | undefined;
}

/** Tasks that are remembered per caller; the oldest is forgotten first. A longer id is no id. */
const MAX_TASKS_PER_CALLER = 10_000;
const MAX_ID = 1_024;

export function createTaskBook(): TaskBook {
  const byCaller = new Map<string, Map<string, string>>();
  return {
    remember(caller, task, server) {
      if (task.length > MAX_ID) return;
      const tasks = byCaller.get(caller) ?? new Map<string, string>();
      byCaller.set(caller, tasks);
      // Two servers may make up the same id: the first one keeps it.
      if (tasks.has(task)) return;
      tasks.set(task, server);
      if (tasks.size > MAX_TASKS_PER_CALLER) tasks.delete(tasks.keys().next().value!);
    },
    find: (caller, task) => byCaller.get(caller)?.get(task),
  };
}
