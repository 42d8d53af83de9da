/** Checks the app proxy: whether it can start, what is accessible without a token, and who can reach it. */
import type { ProxyReport } from '../../control/contract/status.ts';
import { type ProxySettings, readDotEnv, readProxySettings } from '../../config/proxy-settings.ts';
import { choosePort } from '../../config/port.ts';
import type { ProxyConfig } from '../../config/proxy-schema.ts';
import type { Environment } from '../../lib/process.ts';
import { PincerError, hasCode, messageOf } from '../../core/errors.ts';
import { proxyText } from '../render/proxy.ts';
import { error, ok, warn, type Finding } from './finding.ts';
import { createServer } from 'node:net';
import { portOwner } from './check-port.ts';
import { isLoopbackHost, isSecure } from '../../lib/loopback.ts';

export interface ProxyCheck {
  readonly config: ProxyConfig;
  readonly env: Environment;
  /** The folder whose `.env` file `pincer proxy` would read. */
  readonly folder: string;
  /** The setting `device.port`. */
  readonly localPort: number | undefined;
  /** The proxy of the running hub. */
  readonly running: ProxyReport | undefined;
}

export async function checkProxy(check: ProxyCheck): Promise<Finding[]> {
  const { config, running } = check;
  if (running === undefined && !config.enabled)
    return [ok('proxy.enabled', 'The app proxy is switched off.')];
  return [
    ...(running === undefined ? await checkStart(check) : checkRunning(config, running)),
    ...checkDotEnv(check),
    ...checkReach(config),
    ...config.apps.map(describeApp),
  ];
}

/** Reports the names of variables, never their values. */
function checkDotEnv({ folder, running }: ProxyCheck): Finding[] {
  const inUse = running?.dotEnv;
  if (inUse !== undefined)
    return [ok('proxy', `The running app proxy uses ${inUse.sets.join(', ')} from ${inUse.file}.`)];
  try {
    const { file, values } = readDotEnv(folder);
    const names = Object.keys(values).join(', ');
    const who = '`pincer proxy` and `pincer proxy-stdio` read it in this folder; a hub does not.';
    return names === '' ? [] : [ok('proxy', `${file} sets ${names}. ${who}`)];
  } catch (failure) {
    const { message, hint } = PincerError.from(failure);
    return [warn('proxy', message, hint)];
  }
}

/** Checks whether `pincer up` could start the proxy. */
async function checkStart({ config, env, localPort }: ProxyCheck): Promise<Finding[]> {
  let settings: ProxySettings;
  try {
    settings = readProxySettings(config, env, {
      takesFreePort: takesFreePort(env, localPort),
    });
  } catch (failure) {
    const { code, message, hint, data } = PincerError.from(failure);
    return [error(code, typeof data?.['path'] === 'string' ? data['path'] : 'proxy', message, hint)];
  }
  return [await checkProxyPort(settings), ...tokenFindings(settings)];
}

/** Without any token, apps are probably not used, so no warning is needed. */
function tokenFindings({ appToken, openClawToken, apps, warnings }: ProxySettings): Finding[] {
  const isUsed = appToken !== undefined || openClawToken !== undefined || apps.length > 0;
  if (isUsed) return warnings.length === 0 ? [ok('proxy', TOKENS_REQUIRED)] : warnings.map(splitWarning);
  return [
    ok('proxy', 'No token is set, so any program on this machine can use the app proxy while it runs.'),
  ];
}

const TOKENS_REQUIRED = 'Apps and OpenClaw need a token.';

/** Uses the report of the running proxy, because its tokens may be only in its environment. */
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
    ok('proxy', `The app proxy is running: ${proxyText(running)}.`),
    ...(warnings.length === 0 ? [ok('proxy', TOKENS_REQUIRED)] : warnings.map(splitWarning)),
  ];
}

function takesFreePort(env: Environment, localPort: number | undefined): boolean {
  try {
    return choosePort(env, localPort).port === 0;
  } catch {
    // checkPort reports an invalid port.
    return false;
  }
}

/** The first sentence is the problem; the rest is the hint. */
function splitWarning(warning: string): Finding {
  const end = warning.indexOf('. ') + 1;
  return end === 0
    ? warn('proxy', warning, undefined)
    : warn('proxy', warning.slice(0, end), warning.slice(end + 1));
}

const describeApp = ({ name, origins }: ProxyConfig['apps'][number]): Finding =>
  ok(
    `proxy.apps.${name}`,
    origins.length === 0
      ? 'Has its own token; no web page may use it.'
      : `Has its own token; web pages of ${origins.join(', ')} may use it.`,
  );

const PATH = 'proxy.port';

/** Checks whether the proxy can listen on its address. */
async function checkProxyPort({ host, port }: Pick<ProxySettings, 'host' | 'port'>): Promise<Finding> {
  const failure = await listenOnce(host, port);
  if (failure === undefined && port === 0) return ok(PATH, 'The app proxy will use any free port.');
  if (failure === undefined) return ok(PATH, `Port ${port} is free for the app proxy.`);
  if (hasCode(failure, 'EADDRINUSE'))
    return error(
      'PORT_BUSY',
      PATH,
      `Port ${port} of the app proxy is in use by ${portOwner(port) ?? 'another program'}.`,
      'Stop that program, or set "proxy.port" to another port; 0 picks a free one. To run without the app proxy, set "proxy.enabled" to false.',
    );
  if (hasCode(failure, 'EADDRNOTAVAIL') || hasCode(failure, 'ENOTFOUND'))
    return error(
      'CONFIG_INVALID',
      'proxy.host',
      `This machine has no address ${host} to listen on.`,
      'Set "proxy.host" to an address of this machine, such as 127.0.0.1 or 0.0.0.0.',
    );
  return error(
    'CONFIG_INVALID',
    PATH,
    `The app proxy cannot listen on ${host}, port ${port}: ${messageOf(failure)}.`,
    'Set "proxy.port" to another port, 1024 or above; 0 picks a free one.',
  );
}

/** Returns the error if listening fails. */
const listenOnce = (host: string, port: number): Promise<Error | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });

const PUBLIC_URL = 'proxy.publicUrl';

/** Checks whether other machines can reach the app proxy, and whether their traffic is encrypted. */
function checkReach({ host, publicUrl, allowedHosts }: ProxyConfig): Finding[] {
  const isLocal = isLoopbackHost(host);
  const url = publicUrl === undefined ? undefined : new URL(publicUrl);
  if (url !== undefined) return [checkPublicUrl(url, isLocal)];
  if (isLocal) return [];
  const reach = warn(
    'proxy.host',
    `Other machines reach the app proxy on ${host} without encryption, so others on the network can read tokens and data.`,
    'Put a web server with TLS in front of it and set "proxy.publicUrl" to its address, or listen on 127.0.0.1.',
  );
  if (allowedHosts.length > 0) return [reach];
  return [
    reach,
    warn(
      'proxy.allowedHosts',
      'No host name is allowed for the app proxy, so every request from another machine is refused.',
      'Set "proxy.publicUrl", or set "proxy.allowedHosts" to the names and addresses that they use.',
    ),
  ];
}

function checkPublicUrl(url: URL, isLocal: boolean): Finding {
  if (isLoopbackHost(url.hostname) && !isLocal)
    return warn(
      PUBLIC_URL,
      `Apps are told to connect to ${url.origin}, which only works on this machine.`,
      'Set it to the URL at which other machines reach the app proxy.',
    );
  if (!isSecure(url))
    return warn(
      PUBLIC_URL,
      `Apps are told to connect to ${url.origin} without encryption, so others on the network can read tokens and data.`,
      'Put a web server with TLS in front of the app proxy, and set this to its https:// URL.',
    );
  return ok(PUBLIC_URL, `Apps are told to connect to ${url.origin}.`);
}
