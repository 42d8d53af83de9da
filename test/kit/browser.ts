/** A real headless Chromium whose pages a test can evaluate scripts in. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './processes.ts';

const START_MS = 60_000;
const STOP_MS = 20_000;
const WAIT_MS = 30_000;

export interface Tab {
  /** Evaluates an expression in the page and awaits its promise. */
  ask<T = unknown>(expression: string): Promise<T>;
  /** Waits until the expression is true; otherwise throws with the text of the page. */
  until(expression: string): Promise<void>;
  reload(): Promise<void>;
  /** A screenshot as PNG. */
  picture(width: number, height: number): Promise<Buffer>;
}

export interface Browser extends AsyncDisposable {
  open(url: string): Promise<Tab>;
}

export async function startBrowser(flags: readonly string[] = []): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'pincer-chromium-'));
  const usual = ['--headless=new', '--no-sandbox', '--disable-gpu', '--remote-debugging-port=0'];
  const child = spawn('chromium', [...usual, `--user-data-dir=${profile}`, ...flags, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'close');
  let written = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (written += chunk));
  const address = (): string | undefined => /DevTools listening on ws:\/\/([^/]+)\//.exec(written)?.[1];
  const tabs: (() => void)[] = [];
  const browser: Browser = {
    async open(url) {
      const response = await fetch(`http://${address()}/json/new?${encodeURIComponent(url)}`, {
        method: 'PUT',
      });
      const { webSocketDebuggerUrl } = (await response.json()) as { webSocketDebuggerUrl: string };
      const { tab, close } = await attach(webSocketDebuggerUrl);
      tabs.push(close);
      return tab;
    },
    async [Symbol.asyncDispose]() {
      for (const close of tabs) close();
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      child.kill('SIGTERM');
      await exited;
      clearTimeout(timer);
      rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
  if (await eventually(() => address() !== undefined || child.exitCode !== null, START_MS))
    if (address() !== undefined) return browser;
  await browser[Symbol.asyncDispose]();
  throw new Error(`Chromium did not start: ${written}`);
}

interface Answer {
  id?: number;
  error?: { message: string };
  result: {
    result?: { value?: unknown };
    exceptionDetails?: { exception?: { description?: string } };
    data?: string;
  };
}

async function attach(url: string): Promise<{ tab: Tab; close(): void }> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer;
    waiting.get(answer.id ?? 0)?.(answer);
  });
  let count = 0;
  const send = async (method: string, params: object = {}): Promise<Answer['result']> => {
    const id = ++count;
    const answer = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    const { error, result } = await answer;
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
      // Counts as a click; otherwise the page may not open a window.
      userGesture: true,
    });
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? 'the page threw an error');
    return result?.value;
  };
  const tab: Tab = {
    ask: async <T>(expression: string) => (await evaluate(expression)) as T,
    async until(expression) {
      // Evaluation fails while the page is being replaced.
      const holds = async (): Promise<boolean> => (await evaluate(expression).catch(() => false)) === true;
      if (await eventually(holds, WAIT_MS)) return;
      throw new Error(
        `never became true: ${expression}\n${String(await evaluate('document.body.innerText'))}`,
      );
    },
    reload: async () => void (await send('Page.reload')),
    async picture(width, height) {
      await send('Emulation.setDeviceMetricsOverride', {
        width,
        height,
        deviceScaleFactor: 1,
        mobile: false,
      });
      return Buffer.from((await send('Page.captureScreenshot')).data ?? '', 'base64');
    },
  };
  return { tab, close: () => socket.close() };
}
