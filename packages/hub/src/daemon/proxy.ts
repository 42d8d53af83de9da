/** The app proxy of a running hub: opened as the configuration says, with its warnings. */
import type { Apps, AppSettings } from '../apps/apps.ts';
import { createProxyRunner, type ProxyRunner } from '../apps/listener/proxy-runner.ts';
import { type AppProxy, openProxy } from '../apps/listener/proxy.ts';
import type { ProxySettings } from '../config/proxy-settings.ts';
import type { Config } from '../config/schema.ts';
import type { ProxyReport } from '../control/contract/status.ts';
import type { Caller } from '../core/caller.ts';
import { PincerError } from '../core/errors.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import type { Clock, Log } from '../core/ports.ts';
import type { Hub } from '../hub/interface.ts';
import { EXPOSITION_CONTENT_TYPE } from '../observe/exposition.ts';
import type { Metrics } from '../observe/metrics.ts';

export interface ProxyPlan {
  readonly config: Config;
  /** The hub has no other purpose: if the proxy does not open, the start fails. */
  readonly isAlone: boolean;
  settingsOf(config: Config): ProxySettings;
}

interface AppProxyParts {
  readonly plan: ProxyPlan;
  readonly apps: Apps;
  readonly hub: Hub;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** Opens when a configuration is applied. */
export const createAppProxy = ({ plan, apps, hub, clock, metrics }: AppProxyParts): ProxyRunner =>
  createProxyRunner({
    settingsOf: (config) => plan.settingsOf(config),
    open: (settings, opened) =>
      openProxy(
        {
          apps,
          settings,
          clock,
          // Metrics name every server.
          mayMeasure: ({ headers }) => isUnconfined(hub.credentials.authenticate(headers.authorization)),
          renderMetrics: () => ({ type: EXPOSITION_CONTENT_TYPE, text: metrics.render() }),
          onRequest: metrics.httpRequest,
          onRejected: metrics.rejected,
        },
        opened,
      ),
    retryMs: hub.limits.proxyRetryMs,
    log: hub.log,
  });

/** Throws if the proxy is not open. */
export function assertOpen({ current, problem }: ProxyRunner, { problems }: Config): void {
  if (current !== undefined) return;
  const { code, message, hint } = problem ?? problems.find(({ section }) => section === 'proxy') ?? OFF;
  throw new PincerError(code, message, { hint });
}

const OFF = {
  code: 'CONFIG_INVALID',
  message: 'The app proxy is switched off: "proxy.enabled" is false.',
  hint: 'Set it to true, then start the proxy again: pincer up',
} as const;

const isUnconfined = (caller: Caller | undefined): boolean =>
  caller !== undefined && Object.keys(caller.scopes).length === 0;

/** Returns settings without apps if the proxy is off or its settings are wrong. The proxy itself reports why. */
export function appSettingsOf(config: Config, settingsOf: (config: Config) => AppSettings): AppSettings {
  const { appSessionTtlMs, appCallMs } = { ...DEFAULT_LIMITS, ...config.limits };
  const none = { appToken: undefined, apps: [], sessionTtlMs: appSessionTtlMs, toolTimeoutMs: appCallMs };
  try {
    return config.proxy.enabled ? settingsOf(config) : none;
  } catch {
    return none;
  }
}

/** Returns the sides of the app proxy that need no token. */
export const tokenlessSidesOf = ({ takesAnonymous, openClawToken }: ProxySettings): ProxyReport['open'] => [
  ...(takesAnonymous ? (['apps'] as const) : []),
  ...(openClawToken === undefined ? (['openclaw'] as const) : []),
];

/** Logs which variables come from `.env`, and which of them are set elsewhere. Never logs values. */
export function logDotEnv({ dotEnv }: ProxySettings, log: Pick<Log, 'info'>): void {
  if (dotEnv === undefined) return;
  const { file, sets, ignored } = dotEnv;
  if (sets.length > 0) log.info(`the app proxy reads ${sets.join(', ')} from ${file}`);
  if (ignored.length > 0)
    log.info(`${file} also sets ${ignored.join(', ')}, but the value set elsewhere is used`);
}

/** Logs the warnings of the settings when the first app registers. Until then there is nothing to protect. */
export function warnOnceUsed(
  proxy: { readonly current: Pick<AppProxy, 'settings'> | undefined },
  { directory }: Pick<Apps, 'directory'>,
  log: Pick<Log, 'warn'>,
): () => void {
  const warn = (): void => {
    stop();
    for (const warning of proxy.current?.settings.warnings ?? []) log.warn(warning);
  };
  const stop = directory.onChange(({ kind }) => {
    if (kind === 'created' || kind === 'attached') warn();
  });
  return stop;
}
