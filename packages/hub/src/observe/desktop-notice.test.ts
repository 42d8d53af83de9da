import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDesktopNotice, type DesktopNotice } from './desktop-notice.ts';

let folder: string;
let notices: DesktopNotice | undefined;
let debugged: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-notice-'));
  debugged = [];
});
afterEach(() => {
  notices?.close();
  notices = undefined;
  rmSync(folder, { recursive: true });
});

/** Replaces notify-send by a script. */
function install(script: string): void {
  const path = join(folder, 'notify-send');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o700);
}

const open = (env: Record<string, string> = { DISPLAY: ':0' }): DesktopNotice =>
  (notices = createDesktopNotice({
    platform: 'linux',
    env: { PATH: `${folder}:/usr/bin:/bin`, ...env },
    log: { debug: (message) => void debugged.push(message) },
    several: (count) => ({ title: `${count} at once`, body: '' }),
    timing: { gapMs: 300, maxRunMs: 1_000 },
  }));

const shown = (): string[] => {
  const path = join(folder, 'shown');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
};
const WRITE = `printf '%s\\n' "$3" >> "$(dirname "$0")/shown"`;
const eventually = (check: () => unknown): Promise<void> =>
  expect.poll(check, { timeout: 10_000, interval: 10 }).toBe(true);

describe('a notice', () => {
  it("is shown by the desktop's program", async () => {
    install(WRITE);
    open().show({ title: 'first', body: 'x' });
    await eventually(() => shown().length === 1);
    expect(shown()).toEqual(['first']);
    expect(debugged).toEqual([]);
  });

  it('is throttled: notices within the gap become one', async () => {
    install(WRITE);
    const notice = open();
    for (const title of ['first', 'second', 'third', 'fourth']) notice.show({ title, body: '' });
    await eventually(() => shown().length === 2);
    expect(shown()).toEqual(['first', '3 at once']);
  });

  it('waits for the previous one, which is ended if it hangs', async () => {
    install(`${WRITE}; if [ "$3" = stuck ]; then exec sleep 600; fi`);
    const notice = open();
    notice.show({ title: 'stuck', body: '' });
    await eventually(() => shown().length === 1);
    notice.show({ title: 'after', body: '' });
    await eventually(() => shown().length === 2);
    expect(debugged).toEqual(['a notice could not be shown']);
  });

  it.each([
    ['the program is missing', undefined],
    ['the program fails', 'exit 1'],
  ])('is logged and lost if %s', async (_why, script) => {
    if (script !== undefined) install(script);
    notices = createDesktopNotice({
      platform: 'linux',
      env: { PATH: folder, DISPLAY: ':0' },
      log: { debug: (message) => void debugged.push(message) },
      several: () => expect.unreachable('only one notice expected'),
    });
    notices.show({ title: 'first', body: '' });
    await eventually(() => debugged.length === 1);
    expect(debugged).toEqual(['a notice could not be shown']);
  });

  it('is skipped without a desktop, and never throws', () => {
    install(WRITE);
    open({}).show({ title: 'first', body: '' });
    expect(debugged).toEqual(['no desktop to show a notice on']);
    open().show({ title: 'zero \0', body: '' });
    expect(debugged.at(-1)).toBe('a notice could not be shown');
  });

  it('is not shown after close', async () => {
    install(WRITE);
    const notice = open();
    notice.show({ title: 'first', body: '' });
    await eventually(() => shown().length === 1);
    notice.show({ title: 'second', body: '' });
    notice.close();
    notice.show({ title: 'third', body: '' });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(shown()).toEqual(['first']);
  });
});
