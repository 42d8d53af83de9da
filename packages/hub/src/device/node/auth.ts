/**
 * Chooses the credential that a node sends to its gateway: the device token, else the bootstrap token of a pairing, else
 * the shared credential. Reads what a refusal means.
 */
import type { PincerError } from '../../core/errors.ts';
import type { DeviceIdentity } from '../../core/ports.ts';
import { isLoopbackHost } from '../../lib/loopback.ts';
import type { GatewayAddress } from '../../openclaw/find.ts';
import type { ConnectAuth } from '../../openclaw/handshake.ts';
import { isTokenRefused } from '../../openclaw/refusal.ts';
import { REFUSED_RETRY_MS } from './retry.ts';

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
 * An attacker between a node and its gateway could make the node do anything. So a gateway on another machine needs TLS,
 * even in a private network.
 */
export function isGuarded(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'wss:' || isLoopbackHost(hostname);
}

export type Refused =
  /** Waits until a person approves this device. */
  | {
      readonly is: 'pending';
      readonly reason: string;
      readonly hint: string | undefined;
      readonly requestId: string | undefined;
    }
  | {
      readonly is: 'backoff';
      readonly reason: string;
      readonly hint: string | undefined;
      /** Undefined for the usual backoff. */
      readonly waitMs?: number;
      /** Whether the gateway has revoked the device token. Without the token the node may be accepted at once. */
      readonly isTokenVoid?: boolean;
    };

export function readRefused(error: PincerError, auth: ConnectAuth): Refused {
  const { code, message: reason, hint, data } = error;
  if (data?.['gatewayCode'] === 'PAIRING_REQUIRED' || data?.['gatewayCode'] === 'NOT_PAIRED') {
    const requestId = typeof data['requestId'] === 'string' ? data['requestId'] : undefined;
    return { is: 'pending', reason, hint, requestId };
  }
  if (code === 'RATE_LIMITED') return { is: 'backoff', reason, hint, waitMs: REFUSED_RETRY_MS };
  if (!isTokenRefused(error)) return { is: 'backoff', reason, hint };
  // A revoked token must not prevent a new pairing.
  const isTokenVoid = auth !== undefined && 'deviceToken' in auth;
  return { is: 'backoff', reason, hint: PAIR_AGAIN, waitMs: REFUSED_RETRY_MS, isTokenVoid };
}

const PAIR_AGAIN = 'Pair again with a setup code or a token file of the gateway: pincer node pair';
