/** The app proxy: whether it would start, whom it would let in without a token, and who could reach it. */
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
  /** Whose `.env` `pincer proxy` would read. */
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
    ...checkDotEnv(check),
    ...checkReach(config),
    ...config.apps.map(describeApp),
  ];
}

/** Names of variables, never their values. */
function checkDotEnv({ folder, running }: ProxyCheck): Finding[] {
  const inUse = running?.dotEnv;
  if (inUse !== undefined)
    return [ok('proxy', `The app proxy that runs takes ${inUse.sets.join(', ')} from ${inUse.file}.`)];
  try {
    const { file, values } = readDotEnv(folder);
    const names = Object.keys(values).join(', ');
    const who = '`pincer proxy` and `pincer proxy-stdio` read it in this folder, a hub does not.';
    return names === '' ? [] : [ok('proxy', `${file} sets ${names}: ${who}`)];
  } catch (failure) {
    const { message, hint } = PincerError.from(failure);
    return [warn('proxy', message, hint)];
  }
}

/** What would become of `pincer up` here. */
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

const PATH = 'proxy.port';

/** Whether the proxy could listen where it is to. */
async function checkProxyPort({ host, port }: Pick<ProxySettings, 'host' | 'port'>): Promise<Finding> {
  const failure = await listenOnce(host, port);
  if (failure === undefined && port === 0) return ok(PATH, 'The app proxy will take any free port.');
  if (failure === undefined) return ok(PATH, `Port ${port} is free for the app proxy.`);
  if (hasCode(failure, 'EADDRINUSE'))
    return error(
      'PORT_BUSY',
      PATH,
      `Port ${port}, which the app proxy is to have, is in use by ${portOwner(port) ?? 'another program'}.`,
      'End that program, or set "proxy.port" to another port; 0 takes a free one. "proxy.enabled": false leaves the app proxy out.',
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
    'Set "proxy.port" to another port, from 1024 on; 0 takes a free one.',
  );
}

/** Why it cannot be. */
const listenOnce = (host: string, port: number): Promise<Error | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });

const PUBLIC_URL = 'proxy.publicUrl';

/** Whether those who are to reach the app proxy can, and what others on the way could read. */
function checkReach({ host, publicUrl, allowedHosts }: ProxyConfig): Finding[] {
  const isLocal = isLoopbackHost(host);
  const url = publicUrl === undefined ? undefined : new URL(publicUrl);
  if (url !== undefined) return [checkPublicUrl(url, isLocal)];
  if (isLocal) return [];
  const reach = warn(
    'proxy.host',
    `Other machines reach the app proxy on ${host}, and what they send can be read on its way, tokens too.`,
    'Put a web server with TLS in front of it and set "proxy.publicUrl" to its address, or listen on 127.0.0.1.',
  );
  if (allowedHosts.length > 0) return [reach];
  return [
    reach,
    warn(
      'proxy.allowedHosts',
      'No name is set by which other machines may ask for the app proxy, so that all they ask is refused.',
      'Set "proxy.publicUrl", or "proxy.allowedHosts" to the names and addresses that they use.',
    ),
  ];
}

function checkPublicUrl(url: URL, isLocal: boolean): Finding {
  if (isLoopbackHost(url.hostname) && !isLocal)
    return warn(
      PUBLIC_URL,
      `Apps are told to come to ${url.origin}, which on another machine is that machine itself.`,
      'Set it to the address under which others reach the app proxy.',
    );
  if (!isSecure(url))
    return warn(
      PUBLIC_URL,
      `Apps are told to come to ${url.origin}: what they send can be read on its way, tokens too.`,
      'Put a web server with TLS in front of the app proxy, and write https:// here.',
    );
  return ok(PUBLIC_URL, `Apps are told to come to ${url.origin}.`);
}
