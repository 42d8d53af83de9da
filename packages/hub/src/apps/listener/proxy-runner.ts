/** Opens, configures and closes the app proxy by the configuration, and retries while its port is busy. */
import type { ProxySettings } from '../../config/proxy-settings.ts';
import type { ConfigProblem } from '../../core/config-problem.ts';
import type { Config } from '../../config/schema.ts';
import { PincerError } from '../../core/errors.ts';
import type { Log } from '../../core/ports.ts';
import type { AppProxy } from './proxy.ts';

export interface ProxyRunnerParts {
  /** Throws if the settings, or the variables that override them, are invalid. */
  settingsOf(config: Config): ProxySettings;
  open(settings: ProxySettings, undo: AsyncDisposableStack): Promise<AppProxy>;
  readonly retryMs: number;
  readonly log: Log;
}

export interface ProxyRunner {
  /** Undefined while the proxy is closed. */
  readonly current: AppProxy | undefined;
  /** Why the proxy is enabled but not open. */
  readonly problem: ConfigProblem | undefined;
  /** Opens, closes or configures it. Never rejects. */
  apply(config: Config): Promise<void>;
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}

export function createProxyRunner({ settingsOf, open, retryMs, log }: ProxyRunnerParts): ProxyRunner {
  const listeners = new Set<() => void>();
  let opened: { readonly proxy: AppProxy; readonly undo: AsyncDisposableStack } | undefined;
  let problem: ConfigProblem | undefined;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;
  let last: Promise<void> = Promise.resolve();

  async function shut(): Promise<void> {
    const closing = opened;
    opened = undefined;
    await closing?.undo.disposeAsync();
  }

  function fail(error: unknown): void {
    const { code, message, hint = 'Run `pincer doctor`.', data } = PincerError.from(error);
    const setting = typeof data?.['path'] === 'string' ? data['path'] : 'proxy';
    if (problem?.message !== message) log.warn(`${message} ${EFFECT}`, { hint });
    problem = { section: 'proxy', setting, code, message, hint, effect: EFFECT };
  }

  async function follow(config: Config): Promise<void> {
    clearTimeout(retry);
    if (isClosed) return;
    if (!config.proxy.enabled) {
      problem = undefined;
      return shut();
    }
    try {
      const settings = settingsOf(config);
      if (opened === undefined) opened = await opening(settings);
      else opened.proxy.configure(settings);
      problem = undefined;
    } catch (error) {
      fail(error);
      await shut();
      // The port may become free without notice.
      retry = setTimeout(() => void apply(config), retryMs).unref();
    }
  }

  async function opening(settings: ProxySettings): Promise<NonNullable<typeof opened>> {
    const undo = new AsyncDisposableStack();
    try {
      const proxy = await open(settings, undo);
      if (problem !== undefined) log.info(`the app proxy is open: ${proxy.address}`);
      return { proxy, undo };
    } catch (error) {
      await undo.disposeAsync();
      throw error;
    }
  }

  function apply(config: Config): Promise<void> {
    last = last.then(async () => {
      await follow(config);
      for (const listener of listeners) listener();
    });
    return last;
  }

  return {
    get current() {
      return opened?.proxy;
    },
    get problem() {
      return problem;
    },
    apply,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      isClosed = true;
      clearTimeout(retry);
      await last;
      await shut();
    },
  };
}

const EFFECT = 'The app proxy is off.';
