/** The app proxy: whether it would start, whom it would let in without a token, and who could reach it. */
import type { ProxyReport } from '../../client/app-report.ts';
import { withDotEnv } from '../../config/dot-env.ts';
import { choosePort } from '../../config/port.ts';
import type { ProxyConfig } from '../../config/proxy-schema.ts';
import { readProxySettings, type ProxySettings } from '../../config/proxy-settings.ts';
import type { Environment } from '../../core/environment.ts';
import { PincerError } from '../../core/errors.ts';
import { proxyText } from '../render/proxy.ts';
import { checkProxyPort } from './check-proxy-port.ts';
import { checkReach } from './check-proxy-reach.ts';
import { error, ok, warn, type Finding } from './finding.ts';

export interface ProxyCheck {
  readonly config: ProxyConfig;
  readonly env: Environment;
  /** Whose `.env` would be read. */
  readonly folder: string;
  /** What `device.port` says. */
  readonly localPort: number | undefined;
  /** That of the hub that runs. */
  readonly running: ProxyReport | undefined;
}

export async function checkProxy(check: ProxyCheck): Promise<Finding[]> {
  const { config, running } = check;
  if (running === undefined && !config.enabled)
    return [ok('proxy.enabled', 'The app proxy is switched off.')];
  return [
    ...(running === undefined ? await checkStart(check) : checkRunning(config, running)),
    ...checkReach(config),
    ...config.apps.map(describeApp),
  ];
}

/** What would become of `pincer up` here. */
async function checkStart({ config, env, folder, localPort }: ProxyCheck): Promise<Finding[]> {
  let settings: ProxySettings;
  try {
    settings = readProxySettings(config, withDotEnv(env, folder), {
      takesFreePort: takesFreePort(env, localPort),
    });
  } catch (failure) {
    const { code, message, hint, data } = PincerError.from(failure);
    return [error(code, typeof data?.['path'] === 'string' ? data['path'] : 'proxy', message, hint)];
  }
  return [await checkProxyPort(settings), ...tokenFindings(settings)];
}

/** Whoever has never set a token does not use apps either, and need not be warned of a door that is not there yet. */
function tokenFindings({ appToken, openClawToken, apps, warnings }: ProxySettings): Finding[] {
  const isUsed = appToken !== undefined || openClawToken !== undefined || apps.length > 0;
  if (isUsed) return warnings.length === 0 ? [ok('proxy', ALL_LOCKED)] : warnings.map(openDoor);
  return [ok('proxy', 'No token is set. While the app proxy runs, programs on this machine need none.')];
}

const ALL_LOCKED = 'Apps and OpenClaw need a token.';

/** Its tokens may stand in its environment alone, so that only it knows what is open. */
function checkRunning(config: ProxyConfig, running: ProxyReport): Finding[] {
  const isOpen = (side: 'apps' | 'openclaw'): boolean => running.open.includes(side);
  const assumed = {
    ...config,
    host: '127.0.0.1',
    apps: isOpen('apps') ? [] : config.apps,
    appToken: isOpen('apps') ? undefined : 'one',
    openclawToken: isOpen('openclaw') ? undefined : 'another',
  };
  const { warnings } = readProxySettings(assumed, {});
  return [
    ok('proxy', `The app proxy runs: ${proxyText(running)}.`),
    ...(warnings.length === 0 ? [ok('proxy', ALL_LOCKED)] : warnings.map(openDoor)),
  ];
}

function takesFreePort(env: Environment, localPort: number | undefined): boolean {
  try {
    return choosePort(env, localPort).port === 0;
  } catch {
    // It is told of where the hub's own port is looked at.
    return false;
  }
}

/** What is wrong, and in the sentences behind it what to do. */
function openDoor(warning: string): Finding {
  const end = warning.indexOf('. ') + 1;
  return end === 0
    ? warn('proxy', warning, undefined)
    : warn('proxy', warning.slice(0, end), warning.slice(end + 1));
}

const describeApp = ({ name, origins }: ProxyConfig['apps'][number]): Finding =>
  ok(
    `proxy.apps.${name}`,
    origins.length === 0
      ? 'Has a token of its own; no web page may use it.'
      : `Has a token of its own; pages of ${origins.join(', ')} may use it.`,
  );
