/** `clipboard.read` and `clipboard.write`. */
import { z } from 'zod';
import type { DevicePorts } from '../registry/ports.ts';
import {
  defineCapability,
  type Capability,
  type Readiness,
  CommandFailure,
  cancelled,
} from '../registry/capability.ts';
import { clipboardPrograms, type ClipboardPrograms } from './programs.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Limits } from '../../core/limits.ts';
import { oneAtATime } from '../../lib/time.ts';
import type { CommandLine, ProgramEnd } from '../../core/program.ts';
import { endedWell, failureOfProgram } from '../programs/run-program.ts';

const COMMANDS = ['clipboard.read', 'clipboard.write'];

export function createClipboardCapability(
  ports: DevicePorts,
  { limits }: { readonly limits: ClipboardLimits },
): Capability {
  const { maxClipboardBytes } = limits;
  const clipboard = createClipboard(ports, limits);
  return defineCapability({
    category: 'clipboard',
    commands: {
      'clipboard.read': {
        description:
          'Reads the text on the clipboard of this machine. No arguments. Returns {text}, which is empty if the clipboard has no text.',
        input: z.object({}),
        output: z.object({ text: z.string() }),
        annotations: { title: 'Read the clipboard', readOnlyHint: true },
        run: async (_args, { signal }) => ({ text: await clipboard.read(signal) }),
      },
      'clipboard.write': {
        description: `Replaces the content of the clipboard of this machine. Arguments: text (at most ${maxClipboardBytes} bytes of UTF-8; an empty text clears the clipboard). Returns {written: true, bytes}.`,
        input: z.object({ text: z.string({ error: 'Missing text parameter' }).describe('The new text.') }),
        output: z.object({ written: z.literal(true), bytes: z.int() }),
        example: { text: 'Hello' },
        annotations: {
          title: 'Write the clipboard',
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: true,
        },
        async run({ text }, { signal }) {
          const whole = text.toWellFormed();
          const bytes = Buffer.byteLength(whole);
          if (bytes > maxClipboardBytes)
            throw new CommandFailure(`Clipboard text exceeds ${maxClipboardBytes} bytes`, {
              notExecuted: true,
            });
          await clipboard.write(whole, signal);
          return { written: true, bytes };
        },
      },
    },
    readiness: () => Promise.resolve([readiness(ports)]),
    close: () => clipboard.close(),
  });
}

function readiness({ platform, env }: DevicePorts): Readiness {
  const found = clipboardPrograms(platform, env);
  return 'read' in found
    ? { commands: COMMANDS, available: true, backend: found.name }
    : { commands: COMMANDS, available: false, ...found };
}

interface Clipboard {
  read(signal: AbortSignal): Promise<string>;
  /** Resolves when the text is on the clipboard. */
  write(text: string, signal: AbortSignal): Promise<void>;
  /** Ends the programs that hold a text on the clipboard. */
  close(): Promise<void>;
}

type ClipboardLimits = Pick<Limits, 'maxClipboardBytes' | 'clipboardMs'>;

/** Timeout of one check: the previous owner of the clipboard may not answer. */
const MAX_CHECK_MS = 1_000;
const CHECK_EVERY_MS = 20;
/** The maximum delay of a timer. */
const NEVER_MS = 2 ** 31 - 1;
const MAX_OUTPUT_BYTES = 4_096;

/** A program that holds a text on the clipboard. */
interface Keeper {
  readonly ended: Promise<ProgramEnd>;
  stop(): void;
}

/** Reads and writes the clipboard, and tracks the programs that hold its text. */
function createClipboard(
  { platform, env, run }: DevicePorts,
  { maxClipboardBytes, clipboardMs }: ClipboardLimits,
): Clipboard {
  /** The newest program owns the clipboard. The others have lost it and will exit. */
  const keepers = new Set<Keeper>();
  const inTurn = oneAtATime();

  function programs(): ClipboardPrograms {
    const found = clipboardPrograms(platform, env);
    if ('read' in found) return found;
    throw new CommandFailure('Clipboard not available', { hint: found.hint, notExecuted: true });
  }

  const readOnce = (found: ClipboardPrograms, signal: AbortSignal, timeoutMs: number): Promise<ProgramEnd> =>
    run({ ...found.read, env: found.env, signal, timeoutMs, maxBytes: maxClipboardBytes, whenFull: 'end' });

  async function read(signal: AbortSignal): Promise<string> {
    const found = programs();
    const end = await readOnce(found, signal, clipboardMs);
    if (end.kind === 'too-much')
      throw new CommandFailure(`Clipboard text exceeds ${maxClipboardBytes} bytes`, { notExecuted: true });
    return textOf(found, end) ?? fail(found.read, end, 'Clipboard read failed');
  }

  function keep({ write: command, env: childEnv }: ClipboardPrograms, input: Buffer): Keeper {
    const stopping = new AbortController();
    const limits = { timeoutMs: NEVER_MS, maxBytes: MAX_OUTPUT_BYTES, whenFull: 'drop' as const };
    const ended = run({ ...command, ...limits, env: childEnv, input, signal: stopping.signal });
    const keeper = { ended, stop: () => stopping.abort() };
    keepers.add(keeper);
    void ended.then(() => keepers.delete(keeper));
    return keeper;
  }

  /** A program that holds the text does not signal when it is ready, so this polls the clipboard. */
  async function untilWritten(
    text: string,
    found: ClipboardPrograms,
    keeper: Keeper,
    signal: AbortSignal,
  ): Promise<void> {
    const until = performance.now() + clipboardMs;
    for (;;) {
      const end = await readOnce(found, signal, MAX_CHECK_MS);
      if (textOf(found, end) === text) return;
      if (end.kind === 'aborted') fail(found.read, end, 'Clipboard write failed');
      if (!keepers.has(keeper)) fail(found.write, await keeper.ended, 'Clipboard write failed');
      if (performance.now() > until)
        throw new CommandFailure('Clipboard write failed', { hint: OVERWRITTEN });
      await sleep(CHECK_EVERY_MS);
    }
  }

  async function write(text: string, signal: AbortSignal): Promise<void> {
    const found = programs();
    const input = Buffer.from(text);
    if (!found.isKept) {
      const limits = { timeoutMs: clipboardMs, maxBytes: MAX_OUTPUT_BYTES, whenFull: 'drop' as const };
      const end = await run({ ...found.write, ...limits, env: found.env, input, signal });
      if (!endedWell(end)) fail(found.write, end, 'Clipboard write failed');
      return;
    }
    const keeper = keep(found, input);
    await untilWritten(text, found, keeper, signal).catch((error: unknown) => {
      keeper.stop();
      throw error;
    });
  }

  return {
    read,
    // One at a time: otherwise each would read the text of another.
    write: (text, signal) => inTurn(() => write(text, signal), { signal, unwanted: notStarted }),
    async close() {
      const all = [...keepers];
      for (const { stop } of all) stop();
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
}

function fail({ command }: CommandLine, end: ProgramEnd, text: string): never {
  throw failureOfProgram(command, end, { text, hint: end.exitCode === 0 ? OVERWRITTEN : NO_ANSWER });
}

const notStarted = (): CommandFailure => cancelled({ notExecuted: true });

/** @returns undefined if the clipboard could not be read. */
function textOf(
  { isEmpty }: ClipboardPrograms,
  { kind, exitCode, stdout, stderr }: ProgramEnd,
): string | undefined {
  if (kind !== 'exited') return undefined;
  if (exitCode === 0) return stdout.toString();
  return isEmpty(stderr.toString()) ? '' : undefined;
}

const NO_ANSWER =
  'The desktop did not answer. If the session that Pincer was started in has ended, restart Pincer.';
const OVERWRITTEN = 'Another program took the clipboard in the meantime. Try again.';
