/** The browser behind the canvas: when it starts and ends, and that nothing remains of it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../packages/hub/src/core/limits.ts';
import { createBrowser } from '../../packages/hub/src/device/browser/browser.ts';
import { canvasBench } from '../kit/device/canvas-bench.ts';
import { realPorts } from '../kit/device-ports.ts';
import { descendants, eventually, isAlive } from '../kit/processes.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const SOURCE = join(import.meta.dirname, '../../packages/hub/src/device/browser/browser.ts');

/** A virtual display. */
async function startDisplay(): Promise<AsyncDisposable & { name: string }> {
  const child = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1024x768x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const [number] = (await once(createInterface({ input: child.stdio[3] as Readable }), 'line')) as [string];
  return {
    name: `:${number}`,
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

describe('a browser', () => {
  test('starts once for concurrent requests, and ends with all its processes', async () => {
    await using bench = canvasBench();
    await Promise.all([
      bench.call('present', { html: 'a' }),
      bench.call('present', { html: 'b' }),
      bench.call('a2ui.dump'),
    ]);
    const processes = bench.processes();
    expect(processes.length).toBeGreaterThan(2);
    expect(bench.profiles()).toHaveLength(1);
    await bench.close();
    expect(await eventually(() => !processes.some(isAlive), 5_000)).toBe(true);
    expect(bench.profiles()).toEqual([]);
  });

  test('is replaced after it was killed, and shows the presented page again', async () => {
    await using bench = canvasBench();
    await bench.call('present', { html: '<p>still here' });
    const [first] = bench.processes();
    process.kill(-first!, 'SIGKILL');
    expect(await eventually(() => !bench.page().isOpen)).toBe(true);
    expect(await bench.ask('document.body.innerText')).toBe('still here');
    expect(bench.processes()).not.toContain(first);
    // Also in the middle of a script.
    const [second] = bench.processes();
    const lost = bench.ask('new Promise(() => 0)');
    await Promise.all([
      expect(lost).rejects.toMatchObject({
        message: 'Eval failed',
        hint: 'The browser has ended. Try again.',
      }),
      eventually(() => false, 200).then(() => process.kill(-second!, 'SIGKILL')),
    ]);
    expect(await bench.call('snapshot')).toMatchObject({ format: 'png' });
    expect(await eventually(() => bench.profiles().length === 1)).toBe(true);
  });

  test('without pages ends after a while, and starts again when needed', async () => {
    using home = temporaryFolder('resting');
    const ports = { ...realPorts({ PATH: process.env['PATH'] }), home: home.path };
    const browser = createBrowser(ports, { limits: { ...DEFAULT_LIMITS, browserIdleMs: 50 } });
    const page = await browser.open({ html: 'x', width: 100, height: 100 });
    const [first] = descendants(process.pid).map(({ pid }) => pid);
    await page.close();
    expect(await eventually(() => !isAlive(first!))).toBe(true);
    await expect(page.evaluate('1')).rejects.toMatchObject({ kind: 'gone' });
    expect(await (await browser.open({ html: 'x', width: 100, height: 100 })).evaluate('1 + 1')).toBe(2);
    await browser.close();
    await expect(browser.open({ width: 100, height: 100 })).rejects.toMatchObject({ kind: 'gone' });
  });

  test('of an unused canvas ends too, and the presented page returns', async () => {
    await using bench = canvasBench({ limits: { canvasIdleMs: 100, browserIdleMs: 50 } });
    await bench.call('present', { html: '<p>back', width: 300, height: 200 });
    const [first] = bench.processes();
    expect(await eventually(() => !isAlive(first!))).toBe(true);
    expect(await bench.ask('[document.body.innerText, innerWidth]')).toEqual(['back', 300]);
  });

  test('ends with a killed hub; the next hub removes its profile', async () => {
    using home = temporaryFolder('killed');
    const script = `
      const { createBrowser } = await import(${JSON.stringify(SOURCE)});
      const log = Object.fromEntries(['debug', 'info', 'warn', 'error'].map((level) => [level, () => undefined]));
      const ports = { platform: process.platform, env: process.env, log, home: ${JSON.stringify(home.path)} };
      const browser = createBrowser(ports, { limits: ${JSON.stringify(DEFAULT_LIMITS)} });
      await browser.open({ html: 'x', width: 100, height: 100 });
      console.log('open');
      setInterval(() => undefined, 1_000);`;
    const hub = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(hub.stdout, 'data');
    const processes = descendants(hub.pid!).map(({ pid }) => pid);
    expect(processes.length).toBeGreaterThan(2);
    hub.kill('SIGKILL');
    await once(hub, 'exit');
    expect(await eventually(() => !processes.some(isAlive))).toBe(true);
    expect(readdirSync(join(home.path, 'run'))).toHaveLength(1);
    const browser = createBrowser(
      { ...realPorts({ PATH: process.env['PATH'] }), home: home.path },
      { limits: DEFAULT_LIMITS },
    );
    await browser.open({ html: 'x', width: 100, height: 100 });
    expect(readdirSync(join(home.path, 'run'))).toEqual([expect.stringContaining(`browser-${process.pid}-`)]);
    await browser.close();
    expect(readdirSync(join(home.path, 'run'))).toEqual([]);
  });

  test('that never finishes starting does not delay the end', async () => {
    using home = temporaryFolder('never-there');
    const path = join(home.path, 'browser');
    writeFileSync(path, '#!/bin/sh\nexec sleep 600\n', { mode: 0o700 });
    const env = { PATH: process.env['PATH'], PINCER_BROWSER: path };
    const browser = createBrowser(
      { ...realPorts(env), home: home.path },
      { limits: { ...DEFAULT_LIMITS, browserStartMs: 600_000 } },
    );
    const refused = expect(browser.open({ width: 100, height: 100 })).rejects.toMatchObject({
      kind: 'start',
    });
    const started = (): number[] => descendants(process.pid).map(({ pid }) => pid);
    expect(await eventually(() => started().length > 0)).toBe(true);
    await browser.close();
    await refused;
    expect(started()).toEqual([]);
    expect(readdirSync(join(home.path, 'run'))).toEqual([]);
  });

  test('that does not start leaves nothing behind', async () => {
    await using bench = canvasBench({ env: { PINCER_BROWSER: '/bin/false' } });
    await expect(bench.call('present', { html: 'x' })).rejects.toMatchObject({
      message: 'Canvas not available',
      hint: 'The browser did not start. See the log of the hub.',
    });
    expect(bench.profiles()).toEqual([]);
  });
});

describe('a window', () => {
  test('opens on a display: placed, sized, hidden, and closed by the person', async () => {
    await using display = await startDisplay();
    await using bench = canvasBench({ env: { DISPLAY: display.name } });
    expect(await bench.call('caps')).toMatchObject({ renderer: 'web', visible: true });
    await bench.call('present', { html: '<p id="p">seen</p>', width: 500, height: 400, title: 'Mine' });
    expect(bench.page().isVisible).toBe(true);
    const bounds = async (): Promise<unknown> =>
      (await bench.page().send('Browser.getWindowForTarget'))['bounds'];
    expect(await bounds()).toMatchObject({ left: 262, top: 184, width: 500, height: 400 });
    expect(await bench.ask('[document.title, outerWidth]')).toEqual(['Mine', 500]);
    await bench.call('present', { html: '<p id="p">seen</p>', width: 300, height: 300, x: 10, y: 20 });
    expect(await bounds()).toMatchObject({ left: 10, top: 20, width: 300, height: 300 });
    expect(await bench.call('snapshot', { maxWidth: 100 })).toMatchObject({ width: 100 });
    await bench.call('hide');
    await bench.call('present', {});
    expect(await bench.ask('p.textContent')).toBe('seen');
    await bench.page().send('Page.close');
    expect(await eventually(() => !bench.page().isOpen)).toBe(true);
    const closed = 'CANVAS_NOT_OPEN: no canvas window is currently open';
    await expect(bench.ask('1')).rejects.toThrow(closed);
    await bench.call('a2ui.push', { jsonl: '{"deleteSurface":{"surfaceId":"none"}}' });
    expect(await bench.ask('document.body.innerText')).toBe('Nothing to show yet.');
  });

  test('asks the person for neither a screen nor a printer', async () => {
    await using display = await startDisplay();
    await using bench = canvasBench({ env: { DISPLAY: display.name } });
    await bench.call('present', { html: '<iframe></iframe>' });
    const asked = `(async () => {
      const said = [];
      for (const each of [window, document.querySelector('iframe').contentWindow]) {
        each.print();
        try { await each.navigator.mediaDevices.getDisplayMedia(); } catch (error) { said.push(error.name); }
      }
      return said;
    })()`;
    expect(await bench.ask(asked)).toEqual(['TypeError', 'TypeError']);
  });

  test('is not needed if the display is gone', async () => {
    await using bench = canvasBench({ env: { DISPLAY: ':98765' } });
    await bench.call('present', { html: 'unseen' });
    expect(bench.page().isVisible).toBe(false);
    expect(await bench.ask('document.body.innerText')).toBe('unseen');
  });
});
