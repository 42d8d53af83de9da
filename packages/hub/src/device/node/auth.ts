/** What a node shows a gateway: what it was given there before, else what it was given to pair with, else what the gateway's people share. */
import { isLoopbackHost } from '../../lib/loopback.ts';
import type { DeviceIdentity } from '../../core/ports.ts';
import type { GatewayAddress } from '../../openclaw/find.ts';
import type { ConnectAuth } from '../../openclaw/handshake.ts';

interface Choice {
  readonly address: GatewayAddress;
  readonly identity: Pick<DeviceIdentity, 'tokenFor'>;
  readonly bootstrap?: { readonly url: string; readonly token: string } | undefined;
}

export function chooseAuth({ address: { url, credential }, identity, bootstrap }: Choice): ConnectAuth {
  const deviceToken = identity.tokenFor(url, 'node');
  if (deviceToken !== undefined) return { deviceToken };
  if (bootstrap?.url === url) return { bootstrapToken: bootstrap.token };
  return credential;
}

/**
 * Whoever stands between a node and its gateway can have it do anything. So nothing is said to one in clear text that is not on
 * this machine, however private its network may be.
 */
export function isGuarded(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'wss:' || isLoopbackHost(hostname);
}
