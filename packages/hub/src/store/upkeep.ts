/** Checks the files of the store and copies the state once a day, while no call is under way and off the event loop. */
import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../core/ports.ts';
import type { StoreFiles } from './files.ts';
import type { OpenStore, StoreFile } from './sqlite.ts';
import { copyPath } from './state/copies.ts';
import type { UpkeepTask } from './upkeep-worker.ts';

export interface UpkeepParts {
  readonly files: StoreFiles;
  readonly store: Pick<OpenStore, 'repair' | 'reportFailed' | 'reportWorked'>;
  readonly clock: Clock;
  /** Hours between two checks. 0 disables them. */
  readonly checkHours: number;
  /** Number of daily copies that are kept. 0 disables them. */
  readonly keepCopies: number;
  isIdle(): boolean;
  /** Called if a check failed to run. The next one follows as planned. */
  onFailed(error: unknown): void;
}

export interface Upkeep {
  close(): Promise<void>;
}

const LOOK_EVERY_MS = 1_000;
/** A starting hub is busy. */
const BEGIN_AFTER_MS = 10_000;
/** Pause after a failure. */
const RETRY_MS = 3_600_000;
const HOUR_MS = 3_600_000;

const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './upkeep-worker.ts' : './upkeep-worker.js',
  import.meta.url,
);

export function startUpkeep(parts: UpkeepParts): Upkeep {
  const { files, store, clock, keepCopies } = parts;
  const checkMs = parts.checkHours * HOUR_MS;
  let isRunning = false;
  let worker: Worker | undefined;
  let nextCheck = clock.elapsed() + Math.min(BEGIN_AFTER_MS, checkMs);
  let nextCopy = clock.elapsed() + Math.min(BEGIN_AFTER_MS, checkMs || BEGIN_AFTER_MS);

  const run = (task: UpkeepTask): Promise<boolean> =>
    new Promise((resolve, reject) => {
      worker = new Worker(WORKER, { workerData: task, env: {}, execArgv: [] });
      worker.unref();
      worker.once('message', (isWhole: boolean) => resolve(isWhole));
      worker.once('error', reject);
      // The hub ended the worker, which then sends no message.
      worker.once('exit', () => resolve(true));
    });

  async function check(): Promise<void> {
    nextCheck = clock.elapsed() + checkMs;
    for (const name of ['state', 'cache', 'calls'] as const satisfies readonly StoreFile[]) {
      const path = files[name];
      const isWhole = !existsSync(path) || (await run({ kind: 'check', path, hasSums: name === 'state' }));
      if (!isWhole) store.repair(name);
    }
  }

  async function copy(): Promise<void> {
    const to = copyPath(files.copies, clock.now());
    nextCopy = clock.elapsed() + RETRY_MS;
    if (existsSync(to)) return;
    const task = { kind: 'copy', path: files.state, folder: files.copies, to, keep: keepCopies } as const;
    try {
      if (!(await run(task))) store.repair('state');
      store.reportWorked(to);
    } catch (error) {
      store.reportFailed(to, error);
    }
  }

  async function look(): Promise<void> {
    if (isRunning || !parts.isIdle()) return;
    isRunning = true;
    try {
      if (keepCopies > 0 && clock.elapsed() >= nextCopy) await copy();
      else if (checkMs > 0 && clock.elapsed() >= nextCheck) await check();
    } catch (error) {
      parts.onFailed(error);
    } finally {
      isRunning = false;
    }
  }

  const timer = setInterval(() => void look(), LOOK_EVERY_MS).unref();
  return {
    async close() {
      clearInterval(timer);
      await worker?.terminate();
    },
  };
}
