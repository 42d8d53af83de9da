/** Supervises a child from its start until nothing of its process group is left. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Child, ChildEvents } from '../core/ports.ts';
import type { ByteText } from '../core/wire/byte-text.ts';
import { within } from '../lib/time.ts';
import { describeGroup, endGroup, type ProcessGroup, type SpawnLimits } from './end-processes.ts';
import { couldNotStart, exitReason, journalObstacle } from './exit-reason.ts';
import type { Journal } from './journal.ts';

interface Supervision {
  readonly pid: number;
  readonly command: string;
  readonly events: ChildEvents;
  readonly journal: Journal;
  readonly limits: SpawnLimits;
}

export function supervise(child: ChildProcessWithoutNullStreams, supervision: Supervision): Child {
  const { pid, command, events, journal, limits } = supervision;
  const exited = Promise.withResolvers<void>();
  const reported = Promise.withResolvers<void>();
  let group: ProcessGroup;
  let reason: string | undefined;
  let ending: Promise<boolean> | undefined;
  let closing: Promise<void> | undefined;
  let lastOutput: NodeJS.Timeout | undefined;
  let allRead = false;
  let stopped = false;
  let isReported = false;

  const endRest = (): Promise<boolean> => (ending ??= endGroup(group, limits).then(forget));
  const forget = (gone: boolean): boolean => {
    try {
      if (gone) journal.ended(pid);
    } catch {
      // The line stays. The next owner finds no process for it.
    }
    return gone;
  };

  const shutDown = (): Promise<void> => (closing ??= endGently());
  const endGently = async (): Promise<void> => {
    input.end();
    await within(exited.promise, limits.stdinEndMs);
    await endRest();
    // Without process groups, or if the identity of the leader is unknown, only the child itself can be killed.
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await within(exited.promise, limits.killMs);
  };

  /** A paused receiver gets all output before the exit is reported, unless it stopped the child. */
  const tell = (): void => {
    if (isReported || !allRead || (output.paused && !stopped)) return;
    isReported = true;
    output.close();
    child.stderr.destroy();
    reported.resolve();
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
    // The next owner could not find this child, so it must not run.
    group = describeGroup(pid);
    reason = couldNotStart(journalObstacle(error));
    void endRest();
  }

  // A child that closed a pipe can no longer take or answer requests, even if it still runs.
  const onBroken = (): void => void shutDown();
  const input = createInput(child.stdin, { onDrain: () => events.onDrain(), onBroken });
  const output = readOutput(child.stdout, { onChunk: (chunk) => events.onStdout(chunk), onEnd: onBroken });
  child.stderr.on('data', (chunk: Buffer) => {
    if (!isReported) events.onStderr(chunk.toString('latin1'));
  });
  child.stderr.on('error', () => {});
  // Emitted for a signal that could not be sent. A failed start is handled in spawn.ts.
  child.on('error', () => {});
  child.once('exit', (code, signal) => {
    reason ??= exitReason(code, signal);
    output.drain();
    exited.resolve();
    void endRest();
    // Waits two more turns of the loop: if it was blocked, the timeout fires before anything was read.
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
      await reported.promise;
    },
  };
}

interface ChildInput {
  /** Returns false if full or closed. If full, `onDrain` follows. */
  write(text: ByteText): boolean;
  readonly unsent: number;
  /** Flushes the collected text, then ends the stream. */
  end(): void;
}

interface InputEvents {
  onDrain(): void;
  /** The child no longer reads. */
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
    // If this is true although `write` below returned false, the pipe emptied in between and no drain will follow.
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

interface ChildOutput {
  readonly paused: boolean;
  pause(): void;
  resume(): void;
  /** Reads the rest of the pipe after the child's exit, and holds it for a paused receiver. */
  drain(): void;
  /** Stops all delivery. */
  close(): void;
}

interface OutputEvents {
  onChunk(chunk: ByteText): void;
  onEnd(): void;
}

/** Reads a child's stdout. */
function readOutput(stream: Readable, events: OutputEvents): ChildOutput {
  let paused = false;
  let draining = false;
  let held = '';

  const deliver = (chunk: Buffer): void => {
    const text = chunk.toString('latin1');
    if (paused) held += text;
    else events.onChunk(text);
  };
  stream.on('data', deliver);
  stream.once('end', () => events.onEnd());
  // `close` follows a read error.
  stream.on('error', () => {});

  return {
    get paused() {
      return paused;
    },
    pause: () => {
      paused = true;
      if (!draining) stream.pause();
    },
    resume: () => {
      paused = false;
      const text = held;
      held = '';
      if (text !== '') events.onChunk(text);
      // The receiver of the held text may have paused again.
      if (!paused) stream.resume();
    },
    drain: () => {
      draining = true;
      stream.resume();
    },
    close: () => {
      stream.off('data', deliver);
      held = '';
      stream.destroy();
    },
  };
}
