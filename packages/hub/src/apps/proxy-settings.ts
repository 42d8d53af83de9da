/** What the app proxy of this process goes by, as the configuration is now. */
import { withDotEnv } from '../config/dot-env.ts';
import { readProxySettings, type ProxySettings } from '../config/proxy-settings.ts';
import type { Config } from '../config/schema.ts';
import type { Environment } from '../core/environment.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import type { ProxyOptions } from './proxy-options.ts';

/** `.env` is read once, and each configuration is judged once. */
export function createProxySettings(
  options: ProxyOptions,
  given: Environment,
  localPort: number,
): (config: Config) => ProxySettings {
  const { host, port, folder, isAlone } = options;
  const env = withDotEnv(given, folder);
  const judged = new WeakMap<Config, ProxySettings>();
  let staysClosed = false;

  function judge({ proxy, limits }: Config): ProxySettings {
    const { appSessionTtlMs, appCallMs } = { ...DEFAULT_LIMITS, ...limits };
    const settings = readProxySettings(proxy, env, {
      host,
      port,
      staysClosed,
      takesFreePort: localPort === 0 && isAlone !== true,
      defaults: { sessionTtlMs: appSessionTtlMs, toolTimeoutMs: appCallMs },
    });
    staysClosed = !settings.takesAnonymous;
    return settings;
  }

  return (config) => {
    const settings = judged.get(config) ?? judge(config);
    judged.set(config, settings);
    return settings;
  };
}
