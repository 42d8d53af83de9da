/**
 * Orders that OpenClaw runs by itself, `openclaw agent --local`, where there is no gateway. OpenClaw locks its state
 * folder for such a run, so that there is one at a time; and nothing is heard of it before its end.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../../lib/environment.ts';
import { oneAtATime } from '../../lib/one-at-a-time.ts';
import type { Log } from '../../core/ports.ts';
import type { Backend, Order, OrderEnd, OrderListener } from '../backend.ts';
import { gaveNoAnswer, refused, saidTooMuch, startFailed, tookTooLong, withHint } from './explain.ts';
import { readOutput, type Output } from './read-output.ts';
import { readReplyFiles, stateFolderOf } from './reply-files.ts';
import { runProgram, type Ran, PROGRAM_LIMITS } from './run-program.ts';
import { PincerError } from '../../core/errors.ts';
import { sizeText } from '../media/size-text.ts';
import type { MediaLimits } from '../media/in/read-media.ts';

/** What an order to OpenClaw may take besides, in bytes and milliseconds. */
export const LOCAL_LIMITS = {
  ...PROGRAM_LIMITS,
  /** OpenClaw reads no longer message from a file. */
  maxMessageBytes: 4 * 1024 * 1024,
  /** How long a turn may take. */
  timeoutMs: 60 * 60_000,
  /** Beyond that, OpenClaw may take so long to start and to end. */
  marginMs: 120_000,
  /** How long an order waits for another program to let go of OpenClaw's state, and between two attempts. */
  busyWaitMs: 5 * 60_000,
  busyPauseMs: 2_000,
} as const;

export type LocalLimits = { readonly [K in keyof typeof LOCAL_LIMITS]: number };

export interface LocalBackendParts {
  readonly env: Environment;
  /** Of answers. */
  readonly limits: MediaLimits;
  /** What runs OpenClaw; read for each order. */
  readonly command: readonly string[];
  readonly log?: Log;
  readonly local?: LocalLimits;
}

const NEVER_RAN: OrderEnd = { kind: 'stopped', text: '', neverRan: true };

/** OpenClaw does not lock its state where it takes itself for a test of its own. */
const withLock = (env: Environment): Environment => {
  const isTested = env['NODE_ENV'] === 'test';
  return { ...env, VITEST: undefined, ...(isTested && { NODE_ENV: undefined }) };
};

export function createLocalBackend(parts: LocalBackendParts): Backend {
  const { env, limits, log, local = LOCAL_LIMITS } = parts;
  const inTurn = oneAtATime();
  const ending = new AbortController();
  const folders = new Set<string>();

  async function attempt(order: Order, folder: string, signal: AbortSignal): Promise<Ran> {
    const file = join(folder, 'message.txt');
    writeFileSync(file, fileText(order.message), { mode: 0o600 });
    const [program = '', ...args] = parts.command;
    const command = [program, ...args, ...argumentsFor(order, file, local.timeoutMs)];
    try {
      // Its own folder: OpenClaw reads an `.env` of the folder that it is started in.
      return await runProgram({
        command,
        cwd: folder,
        env: withLock(env),
        signal,
        now: ending.signal,
        timeoutMs: local.timeoutMs + local.marginMs,
        limits: local,
      });
    } catch (error) {
      throw startFailed(error, program);
    }
  }

  /** Another program may be using OpenClaw's state: then nothing has run, and it is tried again. */
  async function untilDone(order: Order, folder: string, signal: AbortSignal): Promise<OrderEnd> {
    const until = performance.now() + local.busyWaitMs;
    for (;;) {
      const ran = await attempt(order, folder, signal);
      if (ran.cut === 'stopped') return { kind: 'stopped', text: '' };
      if (ran.cut === 'timeout') return tookTooLong(local.timeoutMs);
      if (ran.cut === 'output') return saidTooMuch();
      const output = readOutput(ran.exitCode, ran.stdout, ran.lastWords);
      log?.debug('openclaw agent --local has ended', { exitCode: ran.exitCode, kind: output.kind });
      const isBusy = output.kind === 'refused' && output.why === 'busy';
      if (!isBusy || performance.now() > until) return endOf(output, order);
      await sleep(local.busyPauseMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return NEVER_RAN;
    }
  }

  async function endOf(output: Output, order: Order): Promise<OrderEnd> {
    switch (output.kind) {
      case 'answered': {
        const { text, workspace = '' } = output;
        const media = await readReplyFiles(output.media, { workspace, state: stateFolderOf(env) }, limits);
        return { kind: 'answered', text, media, remarks: remarksFor(order) };
      }
      case 'failed':
        return { kind: 'failed', ...withHint(output.message), text: output.text };
      case 'refused':
        throw refused(output.why, output.message);
      case 'mute':
        return gaveNoAnswer(output.exitCode, output.message);
    }
  }

  async function runNow(order: Order, signal: AbortSignal): Promise<OrderEnd> {
    const folder = mkdtempSync(join(tmpdir(), 'pincer-order-'));
    folders.add(folder);
    try {
      return await untilDone(order, folder, signal);
    } finally {
      remove(folder);
    }
  }

  function remove(folder: string): void {
    folders.delete(folder);
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // Windows keeps the folder of a program that has not ended yet.
    }
  }

  async function run(order: Order, listener: OrderListener): Promise<OrderEnd> {
    checkOrder(order, local.maxMessageBytes);
    const signal = AbortSignal.any([listener.signal, ending.signal]);
    try {
      return await inTurn(() => runNow(order, signal), { signal });
    } catch (error) {
      // Only what has not begun rejects with it.
      if (error === signal.reason) return NEVER_RAN;
      throw error;
    }
  }

  return {
    run,
    close() {
      ending.abort();
      for (const folder of folders) remove(folder);
    },
  };
}

const START_GATEWAY = 'Start the gateway of OpenClaw: openclaw gateway';

/**
 * How `openclaw agent --local` is told an order. An argument has room for 128 KiB on Linux: the message is in a
 * file.
 */
export function argumentsFor(
  { sessionKey, agentId }: Pick<Order, 'sessionKey' | 'agentId'>,
  messageFile: string,
  timeoutMs: number,
): string[] {
  return [
    'agent',
    '--local',
    '--json',
    `--session-key=${sessionKey}`,
    ...(agentId === undefined ? [] : [`--agent=${agentId}`]),
    `--message-file=${messageFile}`,
    `--timeout=${Math.ceil(timeoutMs / 1_000)}`,
  ];
}

const BOM = '\u{feff}';

/** OpenClaw takes two byte order marks off the beginning, so that one of the message's own needs two before it. */
export const fileText = (message: string): string =>
  message.startsWith(BOM) ? BOM + BOM + message : message;

/** Throws what a person can do something about, before anything is started. */
export function checkOrder({ message, attachments }: Order, maxBytes: number): void {
  if (attachments.length > 0)
    throw refuse('Images and files can be sent to OpenClaw through its gateway alone, and none runs.');
  if (message.trim() === '')
    throw new PincerError('ARGUMENT_INVALID', 'The message is empty.', {
      hint: 'Say what OpenClaw is to do.',
    });
  if (!message.isWellFormed())
    throw new PincerError('ARGUMENT_INVALID', 'The message has half of a surrogate pair in it.', {
      hint: 'Send it as valid Unicode.',
    });
  if (COMPACT.test(message.trim()))
    throw refuse('OpenClaw takes no message that begins with /compact without its gateway, and none runs.');
  const size = Buffer.byteLength(message);
  if (size > maxBytes)
    throw refuse(
      `The message is ${sizeText(size)}, and without its gateway OpenClaw takes ${sizeText(maxBytes)}.`,
    );
}

const refuse = (message: string): PincerError =>
  new PincerError('ARGUMENT_INVALID', message, { hint: START_GATEWAY });

/** The one command that OpenClaw does not take for a text. */
const COMPACT = /^\/compact(?:\s|:|$)/i;

/** For whoever has asked for commands. */
export const remarksFor = ({ message, commands }: Pick<Order, 'message' | 'commands'>): string[] =>
  commands && /^\s*\/[a-z]/i.test(message)
    ? ['Commands of OpenClaw need its gateway: the message went to the agent as text']
    : [];
