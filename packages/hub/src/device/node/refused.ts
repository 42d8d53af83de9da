/** What it means for a node that its gateway did not let it in. */
import type { PincerError } from '../../core/errors.ts';
import type { ConnectAuth } from '../../openclaw/handshake.ts';
import { isTokenRefused } from '../../openclaw/refusal.ts';
import { REFUSED_RETRY_MS } from './times.ts';

export type Refused =
  /** Somebody has to approve this device first. */
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
      /** Undefined: as long as after any other failure. */
      readonly waitMs?: number;
      /** The gateway no longer takes the token that it gave this device: without it, the node may be let in at once. */
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
  // One that was revoked must not stand in the way of being paired again.
  const isTokenVoid = auth !== undefined && 'deviceToken' in auth;
  return { is: 'backoff', reason, hint: PAIR_AGAIN, waitMs: REFUSED_RETRY_MS, isTokenVoid };
}

const PAIR_AGAIN = 'Run `pincer node pair`, with a setup code or a token file of the gateway.';
