/** From a child's start to the moment when nothing of its group is left. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Child, ChildEvents } from '../core/ports.ts';
import { within } from '../lib/time.ts';
import { readOutput } from './child-output.ts';
import { couldNotStart, exitReason, journalObstacle } from './exit-reason.ts';
import type { Journal } from './journal.ts';
import { describeGroup, endGroup, type ProcessGroup, type SpawnLimits } from './process-group.ts';
import type { Writable } from 'node:stream';
import type { ByteText } from '../core/wire/byte-text.ts';

export interface Supervision {
  readonly pid: number;
  readonly command: string;
  readonly events: ChildEvents;
  readonly journal: Journal;
  readonly limits: SpawnLimits;
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

interface ChildInput {
  /** False: full or closed. When full, `onDrain` follows. */
  write(text: ByteText): boolean;
  readonly unsent: number;
  /** Sends what is collected, then the end. */
  end(): void;
}

interface InputEvents {
  onDrain(): void;
  /** The child does not read any more. */
  onBroken(): void;
}

/**
 * A child's stdin. Every stdio call passes here. All messages of one turn of the event loop are collected and leave
 * as one write: a system call costs more than all other work on a small message.
 */
function createInput(stream: Writable, events: InputEvents): ChildInput {
  const highWaterMark = stream.writableHighWaterMark;
  let collected = '';
  let owesDrain = false;

  const drained = (): void => {
    if (!owesDrain) return;
    owesDrain = false;
    events.onDrain();
  };

  const flush = (): void => {
    if (collected === '') return;
    const text = collected;
    collected = '';
    // True although `write` below said false: the pipe emptied in between, and the stream will emit no drain.
    if (stream.writable && stream.write(text, 'latin1')) drained();
  };

  stream.on('drain', drained);
  stream.on('error', () => events.onBroken());

  return {
    write: (text) => {
      if (!stream.writable) return false;
      if (collected === '') setImmediate(flush);
      collected += text;
      if (collected.length + stream.writableLength < highWaterMark) return true;
      owesDrain = true;
      return false;
    },
    get unsent() {
      return stream.destroyed ? 0 : collected.length + stream.writableLength;
    },
    end: () => {
      flush();
      stream.end();
    },
  };
}
