import { describe, expect, it } from 'vitest';
import { realPorts, runCommand } from '../../../../../test/kit/device-ports.ts';
import { DEFAULT_LIMITS, type Limits } from '../../core/limits.ts';
import { createBrowser } from '../browser/browser.ts';
import type { DevicePorts } from '../registry/ports.ts';
import type { Capability } from '../registry/capability.ts';
import { createCanvasCapability } from './capability.ts';

const canvasOn = (ports: DevicePorts, limits: Limits): Capability =>
  createCanvasCapability(ports, {
    limits,
    browser: createBrowser(ports, { limits }),
    allow: ['localhost:5173'],
  });

const UNSUPPORTED = 'Unsupported canvas snapshot format. Supported formats: png, jpeg.';

/** A machine without a browser. */
function canvas(env: Record<string, string> = {}) {
  const ports = realPorts({ PATH: '', PINCER_BROWSER: '/no/such/browser', ...env });
  return canvasOn(ports, DEFAULT_LIMITS);
}
const run = (name: string, args: object = {}, of = canvas()) => runCommand(of.commands.get(name), args);

describe('the canvas', () => {
  it('has ten commands, whose descriptions tell whether it is visible', () => {
    expect([...canvas().commands.keys()]).toEqual([
      'canvas.present',
      'canvas.hide',
      'canvas.navigate',
      'canvas.eval',
      'canvas.snapshot',
      'canvas.a2ui.push',
      'canvas.a2ui.pushJSONL',
      'canvas.a2ui.reset',
      'canvas.a2ui.dump',
      'canvas.caps',
    ]);
    const here = (env: Record<string, string>) =>
      canvasOn({ ...realPorts(env), platform: 'linux' }, DEFAULT_LIMITS).commands.get('canvas.present')!.here;
    expect(here({})).toContain('This machine has no display');
    expect(here({ DISPLAY: ':0' })).toContain('Here it is a window that the person sees.');
  });

  it('reports what is missing without a browser', async () => {
    expect(await run('canvas.caps')).toEqual({
      renderer: 'none',
      visible: false,
      eval: false,
      snapshot: false,
      navigate: false,
      a2ui: { version: '0.8', push: false, reset: false, introspect: true },
    });
    expect(await canvas().readiness!()).toMatchObject([
      { available: false, hint: expect.stringContaining('PINCER_BROWSER') as string },
    ]);
  });

  it.each([
    ['canvas.present', { html: 'x' }],
    ['canvas.eval', { script: '1' }],
    ['canvas.snapshot', {}],
  ])('%s names what to install without a browser', async (name, args) => {
    await expect(run(name, args)).rejects.toMatchObject({
      message: 'Canvas not available',
      notExecuted: true,
      hint: expect.stringContaining('Install chromium') as string,
    });
  });

  it.each([
    ['canvas.eval', { script: '1' }],
    ['canvas.snapshot', { format: 'JPG' }],
    ['canvas.snapshot', { format: 7 }],
  ])('%s of %j fails if nothing was presented', async (name, args) => {
    // Any program will do: nothing is shown, so it is never started.
    const ports = realPorts({ PATH: '', PINCER_BROWSER: process.execPath });
    await expect(run(name, args, canvasOn(ports, DEFAULT_LIMITS))).rejects.toThrow(
      'CANVAS_NOT_OPEN: no canvas window is currently open',
    );
  });

  it.each([
    ['canvas.eval', {}, 'Missing script parameter'],
    ['canvas.eval', { script: '  ' }, 'Missing script parameter'],
    ['canvas.snapshot', { format: 'gif' }, UNSUPPORTED],
    ['canvas.navigate', {}, 'Missing url parameter'],
    [
      'canvas.navigate',
      { url: 'file:///etc/passwd' },
      "Invalid url: scheme 'file' is not allowed (only http/https)",
    ],
    [
      'canvas.present',
      { url: 'data:text/html,x' },
      "Invalid url: scheme 'data' is not allowed (only http/https)",
    ],
    ['canvas.present', { url: 'http://127.0.0.1/' }, 'CANVAS_URL_DENIED: its host is an IP address'],
    ['canvas.present', { target: 'https://localhost/' }, 'CANVAS_URL_DENIED: its host is this machine'],
    ['canvas.present', { html: 'x'.repeat(4_194_305) }, 'html exceeds maximum size of 4194304 bytes'],
    ['canvas.a2ui.push', {}, 'Missing jsonl or jsonlPath parameter'],
    ['canvas.a2ui.pushJSONL', { jsonl: ' ' }, 'Missing jsonl or jsonlPath parameter'],
    ['canvas.a2ui.push', { jsonlPath: '/etc/hostname' }, 'Failed to read jsonlPath'],
    ['canvas.a2ui.push', { jsonl: '{"createSurface":{}}' }, 'createSurface is A2UI v0.9'],
  ])('%s of %j fails with the documented text', async (name, args, text) => {
    await expect(run(name, args)).rejects.toThrow(text);
  });

  it.each(['http://example.com/', 'https://localhost:8765/', 'https://10.0.0.1/', 'https://router/'])(
    'does not show %s',
    async (url) => {
      expect(await run('canvas.navigate', { url })).toMatchObject({
        navigated: false,
        opener: 'denied',
        url,
      });
    },
  );

  it('tries to show an address that the person has allowed', async () => {
    await expect(run('canvas.navigate', { url: 'http://localhost:5173/' })).rejects.toThrow(
      'Canvas not available',
    );
  });

  it('has configurable limits', async () => {
    const ports = realPorts({ PATH: '', PINCER_BROWSER: '/no/such/browser' });
    const limits = { ...DEFAULT_LIMITS, maxCanvasHtmlBytes: 3, maxA2uiBytes: 5, canvasEvalMs: 7_000 };
    const small = canvasOn(ports, limits);
    await expect(run('canvas.present', { html: 'four' }, small)).rejects.toThrow('maximum size of 3 bytes');
    await expect(run('canvas.a2ui.push', { jsonl: '{"a":1}' }, small)).rejects.toThrow(
      'jsonl exceeds maximum size of 5 bytes',
    );
    expect(small.commands.get('canvas.eval')!.description).toContain('Timeout: 7 s.');
  });

  it('can be dumped, reset and hidden while it is empty', async () => {
    const none = { renderer: 'none', a2uiVersion: '0.8', surfaceCount: 0, surfaces: {} };
    expect(await run('canvas.a2ui.dump')).toEqual(none);
    expect(await run('canvas.a2ui.reset')).toEqual({ reset: true });
    expect(await run('canvas.hide')).toEqual({ hidden: true });
  });
});
