import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PincerError } from '../../core/errors.ts';
import { acquireFolder } from './acquire-folder.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const alreadyRunning = (mode: string | undefined): PincerError =>
  new PincerError('HUB_RUNNING', 'A hub runs.', { data: { pid: 1, mode } });

let home: string;
beforeAll(() => void (home = mkdtempSync(join(tmpdir(), 'pincer-take-'))));
afterAll(() => rmSync(home, { recursive: true }));

describe('acquireFolder', () => {
  it('starts if no hub is running, and passes other errors on', async () => {
    expect(await acquireFolder(() => Promise.resolve(5), home, log)).toBe(5);
    const busy = new PincerError('PORT_BUSY', 'no');
    await expect(acquireFolder(() => Promise.reject(busy), home, log)).rejects.toBe(busy);
  });

  it('does not stop a foreground hub', async () => {
    const error = alreadyRunning('foreground');
    const start = vi.fn(() => Promise.reject(error));
    await expect(acquireFolder(start, home, log)).rejects.toBe(error);
    expect(start).toHaveBeenCalledTimes(1);
  });

  it('waits until an ending hub has released its lock', async () => {
    let attempts = 0;
    const start = (): Promise<number> => {
      attempts += 1;
      return attempts < 3
        ? Promise.reject(alreadyRunning(attempts === 1 ? 'background' : undefined))
        : Promise.resolve(7);
    };
    expect(await acquireFolder(start, home, log)).toBe(7);
  });
});
