/** Takes over a changed configuration; one that is not valid changes nothing. */
import { PincerError } from '../core/errors.ts';
import type { Config } from './schema.ts';

export interface ReloadReport {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly unchanged: readonly string[];
  /** Settings that have changed and that take effect at the next start. */
  readonly needsRestart: readonly string[];
}

export interface Reloader {
  /** What is wrong with the file, while an earlier configuration is in use. */
  readonly problem: PincerError | undefined;
  /** Throws where the file is not valid. */
  reload(): ReloadReport;
}

export interface ReloaderParts {
  readonly initial: Config;
  load(): Config;
  apply(config: Config): Omit<ReloadReport, 'needsRestart'>;
}

/** Everything else that is not a server is put together once. */
const LIVE: ReadonlySet<keyof Config> = new Set(['servers', 'policy', 'toolSurface', 'signIn', 'agent']);

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
        return { added, removed, changed, unchanged, needsRestart: outdated(initial, next) };
      } catch (error) {
        problem = PincerError.from(error);
        throw problem;
      }
    },
  };
}

const outdated = (before: Config, after: Config): string[] =>
  (Object.keys(after) as (keyof Config)[]).filter(
    (key) => !LIVE.has(key) && startTextOf(before, key) !== startTextOf(after, key),
  );

/** Of the proxy, who may come in is taken over while it runs; of the machine, all but where it listens. */
function startTextOf(config: Config, key: keyof Config): string | undefined {
  const { proxy, device } = config;
  if (key === 'proxy')
    return JSON.stringify({ ...proxy, apps: undefined, appToken: undefined, openclawToken: undefined });
  return JSON.stringify(key === 'device' ? [device.enabled, device.port] : config[key]);
}
