/** The canvas with a real browser, and helpers to inspect both. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_LIMITS, type Limits } from '../../../packages/hub/src/core/limits.ts';
import { createBrowser } from '../../../packages/hub/src/device/browser/browser.ts';
import type { Page } from '../../../packages/hub/src/device/browser/page.ts';
import {
  createCanvasCapability,
  type CanvasAction,
} from '../../../packages/hub/src/device/canvas/capability.ts';
import { realPorts, runCommand } from '../device-ports.ts';
import { descendants } from '../processes.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export interface CanvasBench extends AsyncDisposable {
  call(name: string, args?: object, signal?: AbortSignal): Promise<Record<string, unknown>>;
  /** Evaluates a script in the page. */
  ask<T = unknown>(script: string): Promise<T>;
  /** The page that was opened last. */
  page(): Page;
  /** Clicks an element as a person would. */
  click(selector: string): Promise<void>;
  type(text: string): Promise<void>;
  readonly actions: { action: CanvasAction; message: string }[];
  /** The processes of the canvas browser, the main process first. */
  processes(): number[];
  /** Browser profiles left on the disk. */
  profiles(): string[];
  close(): Promise<void>;
}

export interface BenchOptions {
  readonly env?: Record<string, string>;
  readonly allow?: readonly string[];
  readonly limits?: Partial<Limits>;
}

export function canvasBench({ env = {}, allow = [], limits: some }: BenchOptions = {}): CanvasBench {
  const limits = { ...DEFAULT_LIMITS, ...some };
  const home = temporaryFolder('canvas');
  const ports = { ...realPorts({ PATH: process.env['PATH'], ...env }), home: home.path };
  const browser = createBrowser(ports, { limits, allow });
  let page: Page | undefined;
  const actions: CanvasBench['actions'] = [];
  const capability = createCanvasCapability(ports, {
    browser: {
      open: async (pageOptions) => (page = await browser.open(pageOptions)),
      close: () => browser.close(),
    },
    onAction: (action, message) => void actions.push({ action, message }),
    allow,
    limits,
  });
  const bench: CanvasBench = {
    call: async (name, args, signal) =>
      (await runCommand(
        capability.commands.get(`canvas.${name}`),
        args,
        signal === undefined ? {} : { signal },
      )) as Record<string, unknown>,
    ask: async <T>(script: string) => (await bench.call('eval', { script }))['result'] as T,
    page: () => page!,
    async click(selector) {
      const place = await bench.ask<{ x: number; y: number }>(
        `(() => { const e = document.querySelector(${JSON.stringify(selector)}); e.scrollIntoView({ block: 'center' });
          const { x, y, width, height } = e.getBoundingClientRect(); return { x: x + width / 2, y: y + height / 2 }; })()`,
      );
      for (const type of ['mousePressed', 'mouseReleased'])
        await page!.send('Input.dispatchMouseEvent', { type, ...place, button: 'left', clickCount: 1 });
    },
    type: async (text) => void (await page!.send('Input.insertText', { text })),
    actions,
    processes: () => descendants(process.pid).flatMap(({ pid }) => (ranBy(pid, home.path) ? [pid] : [])),
    profiles: () => readdirSync(join(home.path, 'run')),
    async close() {
      await capability.close?.();
      await browser.close();
    },
    async [Symbol.asyncDispose]() {
      await bench.close();
      home[Symbol.dispose]();
    },
  };
  return bench;
}

function ranBy(pid: number, home: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(home);
  } catch {
    return false;
  }
}
