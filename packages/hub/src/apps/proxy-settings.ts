/** Settings of the app proxy, from the configuration, the environment and the options. */
import { readDotEnv, readProxySettings, type ProxySettings } from '../config/proxy-settings.ts';
import type { Config } from '../config/schema.ts';
import type { Environment } from '../lib/process.ts';
import type { ProxyOptions } from './proxy-options.ts';

/** Reads `.env` once, and each configuration once. */
export function createProxySettings(
  options: ProxyOptions,
  env: Environment,
  localPort: number,
): (config: Config) => ProxySettings {
  const { host, port, folder, isAlone } = options;
  const dotEnv = folder === undefined ? undefined : readDotEnv(folder);
  const cache = new WeakMap<Config, ProxySettings>();
  let staysClosed = false;

  function read({ proxy, limits }: Config): ProxySettings {
    const settings = readProxySettings(proxy, env, {
      host,
      port,
      staysClosed,
      takesFreePort: localPort === 0 && isAlone !== true,
      limits: { sessionTtlMs: limits.appSessionTtlMs, toolTimeoutMs: limits.appCallMs },
      dotEnv,
    });
    staysClosed = !settings.takesAnonymous;
    return settings;
  }

  return (config) => {
    const settings = cache.get(config) ?? read(config);
    cache.set(config, settings);
    return settings;
  };
}
