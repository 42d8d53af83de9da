/** A child program that runs one command at a time: load or apps. Commands may hold tokens, so they are not passed as arguments. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { temporaryFolder } from '../process/folders.ts';
import { cleanEnv, endProcesses, refuseWhenEnding, remember } from '../process/running.ts';

export interface Child<Command, Answer> {
  pid: number;
  ask(command: Command): Promise<Answer>;
  end(): Promise<void>;
}

type Reply<Answer> = { answer: Answer } | { failure: string };

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
  const gone = once(child, 'exit').then(([code]): Reply<Answer> => ({ failure: `it ended with ${code}` }));
  return {
    pid,
    async ask(command) {
      const reply = once(child, 'message').then(([message]) => message as Reply<Answer>);
      child.send(command);
      const received = await Promise.race([reply, gone]);
      if ('failure' in received) throw new Error(`${program.pathname}: ${received.failure}`);
      return received.answer;
    },
    end: () => endProcesses([pid]),
  };
}

/** The child's side. */
export function obeyParent(obey: (command: never) => Promise<object>): void {
  process.on('message', (command) => {
    obey(command as never).then(
      (answer) => process.send?.({ answer }),
      (error: unknown) => process.send?.({ failure: error instanceof Error ? error.stack : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
}
