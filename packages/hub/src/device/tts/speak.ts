/** Speaks a text: synthesizes it, then plays it or returns it. One text at a time. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Limits } from '../../core/limits.ts';
import { oneAtATime } from '../../lib/time.ts';
import type { DevicePorts } from '../registry/ports.ts';
import { inRunFolder } from '../programs/run-folder.ts';
import { desktopEnvironment, endedWell, failureOfProgram } from '../programs/run-program.ts';
import { type CommandContext, CommandFailure } from '../registry/capability.ts';
import type { Engine, Speech, SpeechRun } from './engines.ts';
import { type Player, wavDurationMs } from './players.ts';

export type Context = Pick<CommandContext, 'signal' | 'progress'>;

interface Sound {
  readonly wav: Buffer;
  readonly durationMs: number;
}

/** How long a player may run after the end of the sound. */
const PLAYER_MS = 15_000;
const PROGRESS_MS = 1_000;
const MAX_OUTPUT_BYTES = 16 * 1024;

/** Limits of time and size. */
export type SpeakLimits = Pick<Limits, 'makeSpeechMs' | 'maxSpeechBytes' | 'maxSpeakMs'>;

interface Run extends Pick<DevicePorts, 'home' | 'env' | 'run'> {
  readonly limits: SpeakLimits;
}

export async function makeSound(
  engine: Engine,
  speech: Speech,
  ports: Run,
  signal: AbortSignal,
): Promise<Sound> {
  return withFile(ports, (file) => made(engine, speech, file, { ports, signal }));
}

/** Resolves with the duration after the sound was played. */
export function playSpeech(
  engine: Engine,
  player: Player,
  speech: Speech,
  around: { readonly ports: Run; readonly context: Context },
): Promise<number> {
  const { ports, context } = around;
  const { signal } = context;
  return withFile(ports, async (file) => {
    const { durationMs } = await made(engine, speech, file, { ports, signal });
    using _progress = reportProgress(context, durationMs);
    await runOrFail(player.play(file), ports, {
      signal,
      timeoutMs: durationMs + PLAYER_MS,
      hint: NOT_PLAYED,
    });
    return durationMs;
  });
}

/** Resolves with the duration. */
export async function speakAloud(
  engine: Engine,
  speech: Speech,
  ports: Run,
  context: Context,
): Promise<number> {
  const { signal } = context;
  const begin = performance.now();
  using _progress = reportProgress(context);
  try {
    await runOrFail(
      lineOf(() => engine.aloud!(speech)),
      ports,
      { signal, timeoutMs: ports.limits.maxSpeakMs },
    );
  } catch (error) {
    const silent = { signal: new AbortController().signal, timeoutMs: 2_000 };
    if (engine.silence !== undefined) await runOrFail(engine.silence, ports, silent).catch(() => undefined);
    throw error;
  }
  return Math.round(performance.now() - begin);
}

const withFile = <T>({ home }: Pick<DevicePorts, 'home'>, work: (file: string) => Promise<T>): Promise<T> =>
  inRunFolder(home, 'speech', (folder) => work(join(folder, 'speech.wav')));

async function made(
  engine: Engine,
  speech: Speech,
  file: string,
  { ports, signal }: { readonly ports: Run; readonly signal: AbortSignal },
): Promise<Sound> {
  const line = lineOf(() => engine.toFile!(speech, file));
  await runOrFail(line, ports, { signal, timeoutMs: ports.limits.makeSpeechMs });
  return readSound(file, ports.limits);
}

async function readSound(file: string, { maxSpeechBytes }: SpeakLimits): Promise<Sound> {
  const size = await stat(file).then(
    (facts) => facts.size,
    () => 0,
  );
  if (size > maxSpeechBytes)
    throw new CommandFailure('Speak failed', { hint: 'The text takes too long to speak.' });
  const wav = size === 0 ? Buffer.alloc(0) : await readFile(file);
  const durationMs = wavDurationMs(wav);
  if (durationMs === undefined)
    throw new CommandFailure('Speak failed', { cause: new Error('the engine wrote no sound') });
  return { wav, durationMs };
}

/** An engine throws only for an unknown voice. */
function lineOf(make: () => SpeechRun): SpeechRun {
  try {
    return make();
  } catch (error) {
    throw new CommandFailure('Speak failed', { hint: UNKNOWN_VOICE, notExecuted: true, cause: error });
  }
}

interface Bounds {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** The hint if it fails. */
  readonly hint?: string;
}

async function runOrFail(
  { command, args, input, variables }: SpeechRun,
  { env, run }: Run,
  { signal, timeoutMs, hint }: Bounds,
): Promise<void> {
  const childEnv = { ...desktopEnvironment(env), ...variables };
  const limits = { timeoutMs, maxBytes: MAX_OUTPUT_BYTES, whenFull: 'drop' as const };
  const end = await run({ command, args, input, env: childEnv, signal, ...limits });
  if (endedWell(end)) return;
  const isVoice = /voice/i.test(end.stderr.toString());
  throw failureOfProgram(command, end, {
    text: 'Speak failed',
    cancelled: 'Speak canceled',
    hint: isVoice ? UNKNOWN_VOICE : hint,
  });
}

const NOT_PLAYED =
  'The sound player failed. Check the sound server or card, or get the sound itself with output "return".';
const UNKNOWN_VOICE = 'No voice has this name: leave voiceId out, or choose another.';

function reportProgress({ progress }: Context, totalMs?: number): Disposable {
  const begin = performance.now();
  const report = (): void => {
    const done = Math.round(performance.now() - begin);
    progress(Math.min(done, totalMs ?? done), totalMs, 'Speaking');
  };
  report();
  const timer = setInterval(report, PROGRESS_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

interface Turns {
  /** The signal of `work` is aborted on cancellation, on an interruption, or on close. */
  take<T>(options: TurnOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface TurnOptions {
  readonly interrupt: boolean;
  readonly signal: AbortSignal;
}

export function createTurns(maxSpeeches: number): Turns {
  const speakers = new Set<AbortController>();
  const inTurn = oneAtATime();

  function stopAll(): void {
    for (const speaker of speakers) speaker.abort();
    // Callers do not wait until it is silent.
    speakers.clear();
  }

  return {
    async take({ interrupt, signal }, work) {
      if (interrupt) stopAll();
      if (speakers.size >= maxSpeeches)
        throw new CommandFailure('Speak failed', {
          hint: `${maxSpeeches} texts are waiting to be spoken. Try again later, or with interrupt.`,
          notExecuted: true,
        });
      const speaker = new AbortController();
      const stop = (): void => speaker.abort();
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      speakers.add(speaker);
      try {
        return await inTurn(() => work(speaker.signal), { signal: speaker.signal, unwanted: canceled });
      } finally {
        speakers.delete(speaker);
        signal.removeEventListener('abort', stop);
      }
    },
    async close() {
      stopAll();
      await inTurn(() => Promise.resolve());
    },
  };
}

const canceled = (): CommandFailure => new CommandFailure('Speak canceled', { notExecuted: true });
