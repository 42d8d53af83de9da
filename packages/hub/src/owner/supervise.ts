/** From a child's start to the moment when nothing of its group is left. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Child, ChildEvents } from '../core/ports.ts';
import { createInput } from './child-input.ts';
import { readOutput } from './child-output.ts';
import { couldNotStart, exitReason, journalObstacle } from './exit-reason.ts';
import type { Journal } from './journal.ts';
import { describeGroup, endGroup, type ProcessGroup } from './process-group.ts';
import type { SpawnLimits } from './spawn-limits.ts';

export interface Supervision {
  readonly pid: number;
  readonly command: string;
  readonly events: ChildEvents;
  readonly journal: Journal;
  readonly limits: SpawnLimits;
}

async function within(event: Promise<void>, milliseconds: number): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  await Promise.race([event, timeout]);
  clearTimeout(timer);
}

export function supervise(child: ChildProcessWithoutNullStreams, supervision: Supervision): Child {
  const { pid, command, events, journal, limits } = supervision;
  const exited = Promise.withResolvers<void>();
  const told = Promise.withResolvers<void>();
  let group: ProcessGroup;
  let reason: string | undefined;
  let ending: Promise<boolean> | undefined;
  let closing: Promise<void> | undefined;
  let lastOutput: NodeJS.Timeout | undefined;
  let allRead = false;
  let stopped = false;
  let isTold = false;

  const endRest = (): Promise<boolean> => (ending ??= endGroup(group, limits).then(forget));
  const forget = (gone: boolean): boolean => {
    try {
      if (gone) journal.ended(pid);
    } catch {
      // The line stays. The next owner finds nobody behind it.
    }
    return gone;
  };

  const shutDown = (): Promise<void> => (closing ??= endGently());
  const endGently = async (): Promise<void> => {
    input.end();
    await within(exited.promise, limits.stdinEndMs);
    await endRest();
    // Where the system has no groups, or did not tell who leads this one, the child itself is within reach.
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await within(exited.promise, limits.killMs);
  };

  /** A receiver that paused still gets what was read before it hears of the exit, unless it stopped the child. */
  const tell = (): void => {
    if (isTold || !allRead || (output.paused && !stopped)) return;
    isTold = true;
    output.close();
    child.stderr.destroy();
    told.resolve();
    events.onExit(reason ?? 'could not be ended');
  };
  const endReading = (): void => {
    clearTimeout(lastOutput);
    allRead = true;
    tell();
  };

  try {
    group = journal.started(pid, command);
  } catch (error) {
    // A child that the next owner would not know of must not run.
    group = describeGroup(pid);
    reason = couldNotStart(journalObstacle(error));
    void endRest();
  }

  // A child that closed a pipe can take or answer nothing any more, even if it lives on.
  const onBroken = (): void => void shutDown();
  const input = createInput(child.stdin, { onDrain: () => events.onDrain(), onBroken });
  const output = readOutput(child.stdout, { onChunk: (chunk) => events.onStdout(chunk), onEnd: onBroken });
  child.stderr.on('data', (chunk: Buffer) => {
    if (!isTold) events.onStderr(chunk.toString('latin1'));
  });
  child.stderr.on('error', () => {});
  // A signal that could not be sent; a failed start never comes here.
  child.on('error', () => {});
  child.once('exit', (code, signal) => {
    reason ??= exitReason(code, signal);
    output.drain();
    exited.resolve();
    void endRest();
    // Two turns of the loop more: if it was blocked, the time is over before anything was read.
    lastOutput = setTimeout(() => setImmediate(() => setImmediate(endReading)), limits.lastOutputMs);
  });
  // After the exit, when stdout and stderr have been read to their ends.
  child.once('close', endReading);

  return {
    pid,
    write: (text) => input.write(text),
    get unsent() {
      return input.unsent;
    },
    pause: () => output.pause(),
    resume: () => {
      output.resume();
      tell();
    },
    stop: async () => {
      stopped = true;
      tell();
      await shutDown();
      if (child.exitCode === null && child.signalCode === null) endReading();
      await told.promise;
    },
  };
}
