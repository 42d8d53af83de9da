/**
 * Orders that OpenClaw runs by itself, `openclaw agent --local`, where there is no gateway. OpenClaw locks its state
 * folder for such a run, so that there is one at a time; and nothing is heard of it before its end.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../../../core/environment.ts';
import { oneAtATime } from '../../../core/one-at-a-time.ts';
import type { Log } from '../../../core/ports.ts';
import type { Backend, Order, OrderEnd, OrderListener } from '../backend.ts';
import type { MediaLimits } from '../media/limits.ts';
import { argumentsFor, checkOrder, fileText, remarksFor } from './arguments.ts';
import { gaveNoAnswer, refused, saidTooMuch, startFailed, tookTooLong, withHint } from './explain.ts';
import { LOCAL_LIMITS, type LocalLimits } from './limits.ts';
import { readOutput, type Output } from './read-output.ts';
import { readReplyFiles, stateFolderOf } from './reply-files.ts';
import { runProgram, type Ran } from './run-program.ts';

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
