/**
 * The backend that runs orders without a gateway, by `openclaw agent --local`. OpenClaw locks its state folder for such
 * a run, so there is one at a time. It reports nothing before its end.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PincerError } from '../../core/errors.ts';
import type { Log } from '../../core/ports.ts';
import type { Environment } from '../../lib/process.ts';
import { oneAtATime } from '../../lib/time.ts';
import type { Backend, Order, OrderEnd, OrderListener } from '../backend.ts';
import { sizeText } from '../media/name-and-size.ts';
import type { MediaLimits } from '../media/read-attachments.ts';
import {
  endedWithoutAnswer,
  readOutput,
  refused,
  outputTooLarge,
  startFailed,
  timedOut,
  withHint,
  type Output,
} from './read-output.ts';
import { readReplyFiles, stateFolderOf } from './reply-files.ts';
import { PROGRAM_LIMITS, runProgram, type Ran } from './run-program.ts';

export const LOCAL_LIMITS = {
  ...PROGRAM_LIMITS,
  /** The longest message that OpenClaw reads from a file. */
  maxMessageBytes: 4 * 1024 * 1024,
  /** How long a turn may take. */
  timeoutMs: 60 * 60_000,
  /** How long OpenClaw may take in addition to start and exit. */
  marginMs: 120_000,
  /** How long an order waits for the lock of OpenClaw's state, and how long between two attempts. */
  busyWaitMs: 5 * 60_000,
  busyPauseMs: 2_000,
} as const;

type LocalLimits = { readonly [K in keyof typeof LOCAL_LIMITS]: number };

export interface LocalBackendParts {
  readonly env: Environment;
  /** Limits of answers. */
  readonly limits: MediaLimits;
  /** The command that runs OpenClaw; read for each order. */
  readonly command: readonly string[];
  readonly log?: Log;
  readonly local?: LocalLimits;
}

const NEVER_RAN: OrderEnd = { kind: 'stopped', text: '', neverRan: true };

/** OpenClaw does not lock its state if these variables mark a test run. */
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
      // An empty folder, because OpenClaw reads `.env` in its working folder.
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

  /** Retries while another program holds the lock of OpenClaw's state: nothing has run then. */
  async function untilDone(order: Order, folder: string, signal: AbortSignal): Promise<OrderEnd> {
    const until = performance.now() + local.busyWaitMs;
    for (;;) {
      const ran = await attempt(order, folder, signal);
      if (ran.cut === 'stopped') return { kind: 'stopped', text: '' };
      if (ran.cut === 'timeout') return timedOut(local.timeoutMs);
      if (ran.cut === 'output') return outputTooLarge();
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
      case 'silent':
        return endedWithoutAnswer(output.exitCode, output.message);
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
      // Windows does not remove the working folder of a running program.
    }
  }

  async function run(order: Order, listener: OrderListener): Promise<OrderEnd> {
    checkOrder(order, local.maxMessageBytes);
    const signal = AbortSignal.any([listener.signal, ending.signal]);
    try {
      return await inTurn(() => runNow(order, signal), { signal });
    } catch (error) {
      // The queue rejects with it only if the order has not begun.
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

/** The arguments of an order. The message is in a file, because Linux limits an argument to 128 KiB. */
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

/** OpenClaw strips up to two byte order marks, so a message that begins with one needs two more. */
export const fileText = (message: string): string =>
  message.startsWith(BOM) ? BOM + BOM + message : message;

/** Throws if OpenClaw cannot run this order without its gateway. */
export function checkOrder({ message, attachments }: Order, maxBytes: number): void {
  if (attachments.length > 0)
    throw refuse('Images and files need the gateway of OpenClaw, and it is not running.');
  if (message.trim() === '')
    throw new PincerError('ARGUMENT_INVALID', 'The message is empty.', {
      hint: 'Write what OpenClaw should do.',
    });
  if (!message.isWellFormed())
    throw new PincerError('ARGUMENT_INVALID', 'The message contains half of a surrogate pair.', {
      hint: 'Send it as valid Unicode.',
    });
  if (COMPACT.test(message.trim()))
    throw refuse('A message that begins with /compact needs the gateway of OpenClaw, and it is not running.');
  const size = Buffer.byteLength(message);
  if (size > maxBytes)
    throw refuse(
      `The message is ${sizeText(size)}. Without its gateway, OpenClaw accepts ${sizeText(maxBytes)}.`,
    );
}

const refuse = (message: string): PincerError =>
  new PincerError('ARGUMENT_INVALID', message, { hint: START_GATEWAY });

/** The one command that OpenClaw interprets in a local run. */
const COMPACT = /^\/compact(?:\s|:|$)/i;

/** A remark for callers that expect commands: a local run treats them as text. */
export const remarksFor = ({ message, commands }: Pick<Order, 'message' | 'commands'>): string[] =>
  commands && /^\s*\/[a-z]/i.test(message)
    ? ['Commands of OpenClaw need its gateway: the message went to the agent as text']
    : [];
