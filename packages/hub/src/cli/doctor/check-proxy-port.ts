import { createServer } from 'node:net';
import type { ProxySettings } from '../../config/proxy-settings.ts';
import { hasCode, messageOf } from '../../core/errors.ts';
import { error, ok, type Finding } from './finding.ts';
import { portOwner } from './port-owner.ts';

const PATH = 'proxy.port';

/** Whether the proxy could listen where it is to. */
export async function checkProxyPort({ host, port }: Pick<ProxySettings, 'host' | 'port'>): Promise<Finding> {
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
