import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PincerError } from '../../core/errors.ts';
import { takeOver } from './take-over.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const inTheWay = (mode: string | undefined): PincerError =>
  new PincerError('HUB_RUNNING', 'A hub runs.', { data: { pid: 1, mode } });

let home: string;
beforeAll(() => void (home = mkdtempSync(join(tmpdir(), 'pincer-take-'))));
afterAll(() => rmSync(home, { recursive: true }));

describe('takeOver', () => {
  it('starts where nothing is in the way, and hands on what else goes wrong', async () => {
    expect(await takeOver(() => Promise.resolve(5), home, log)).toBe(5);
    const busy = new PincerError('PORT_BUSY', 'no');
    await expect(takeOver(() => Promise.reject(busy), home, log)).rejects.toBe(busy);
  });

  it('leaves a hub in the foreground alone', async () => {
    const error = inTheWay('foreground');
    const start = vi.fn(() => Promise.reject(error));
    await expect(takeOver(start, home, log)).rejects.toBe(error);
    expect(start).toHaveBeenCalledTimes(1);
  });

  it('waits until a hub that is ending has given its lease back', async () => {
    let attempts = 0;
    const start = (): Promise<number> => {
      attempts += 1;
      return attempts < 3
        ? Promise.reject(inTheWay(attempts === 1 ? 'background' : undefined))
        : Promise.resolve(7);
    };
    expect(await takeOver(start, home, log)).toBe(7);
  });
});
