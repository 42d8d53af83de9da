/** A program of our own that does as it is told, one command at a time: load, apps. What it is told may hold tokens, so no arguments. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { temporaryFolder } from '../process/folders.ts';
import { cleanEnv, endProcesses, refuseWhenEnding, remember } from '../process/running.ts';

export interface Child<Command, Answer> {
  pid: number;
  ask(command: Command): Promise<Answer>;
  end(): Promise<void>;
}

type Told<Answer> = { answer: Answer } | { failure: string };

export async function startChild<Command extends object, Answer>(
  program: URL,
): Promise<Child<Command, Answer>> {
  refuseWhenEnding();
  const folder = temporaryFolder('child');
  const child: ChildProcess = spawn(process.execPath, [program.pathname], {
    cwd: folder,
    detached: true,
    env: cleanEnv(folder),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  remember(child.pid);
  await once(child, 'spawn');
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program.pathname} has no pid`);
  const gone = once(child, 'exit').then(([code]): Told<Answer> => ({ failure: `it ended with ${code}` }));
  return {
    pid,
    async ask(command) {
      const heard = once(child, 'message').then(([told]) => told as Told<Answer>);
      child.send(command);
      const told = await Promise.race([heard, gone]);
      if ('failure' in told) throw new Error(`${program.pathname}: ${told.failure}`);
      return told.answer;
    },
    end: () => endProcesses([pid]),
  };
}

/** The other end of it. */
export function obeyParent(obey: (command: never) => Promise<object>): void {
  process.on('message', (command) => {
    obey(command as never).then(
      (answer) => process.send?.({ answer }),
      (error: unknown) => process.send?.({ failure: error instanceof Error ? error.stack : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
}
