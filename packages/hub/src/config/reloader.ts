/** Applies a changed configuration. A file that cannot be read changes nothing. */
import { PincerError } from '../core/errors.ts';
import type { Config } from './schema.ts';

export interface ReloadReport {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly unchanged: readonly string[];
  /** Servers with invalid settings. */
  readonly failed?: readonly string[] | undefined;
  /** Changed settings that take effect only after a restart. */
  readonly needsRestart: readonly string[];
}

export interface Reloader {
  /** Why the file cannot be read, while an earlier configuration is in use. */
  readonly problem: PincerError | undefined;
  /** Throws if the file cannot be read. */
  reload(): ReloadReport;
}

export interface ReloaderParts {
  readonly initial: Config;
  load(): Config;
  apply(config: Config): Omit<ReloadReport, 'failed' | 'needsRestart'>;
}

/** Settings that are applied without a restart. */
const LIVE: ReadonlySet<keyof Config> = new Set([
  'servers',
  'failed',
  'problems',
  'policy',
  'toolSurface',
  'signIn',
  'agent',
]);

export function createReloader({ initial, load, apply }: ReloaderParts): Reloader {
  let problem: PincerError | undefined;
  return {
    get problem() {
      return problem;
    },
    reload() {
      try {
        const next = load();
        const { added, removed, changed, unchanged } = apply(next);
        problem = undefined;
        const failed = next.failed.map(({ name }) => name);
        return {
          added,
          // A server with invalid settings is not removed.
          removed: removed.filter((name) => !failed.includes(name)),
          changed,
          unchanged,
          failed,
          needsRestart: outdated(initial, next),
        };
      } catch (error) {
        problem = PincerError.from(error);
        throw problem;
      }
    },
  };
}

function outdated(before: Config, after: Config): string[] {
  return (Object.keys(after) as (keyof Config)[]).filter((key) => {
    const [first, next] = [startTextOf(before, key), startTextOf(after, key)];
    return !LIVE.has(key) && first !== undefined && next !== undefined && first !== next;
  });
}

/**
 * The part of a section that needs a restart. Apps and tokens of the proxy, and all settings of `device` but `enabled`
 * and `port`, are applied while the hub runs.
 */
function startTextOf(config: Config, key: keyof Config): string | undefined {
  const { proxy, device } = config;
  // The proxy is switched on and off while the hub runs.
  if (key === 'proxy' && !proxy.enabled) return undefined;
  if (key === 'proxy')
    return JSON.stringify({
      ...proxy,
      apps: undefined,
      appToken: undefined,
      openclawToken: undefined,
      wrong: undefined,
    });
  return JSON.stringify(key === 'device' ? [device.enabled, device.port] : config[key]);
}
