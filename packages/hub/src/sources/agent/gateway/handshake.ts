/** The first request on a gateway's socket, protocol 4: who we are, and what we may be asked to be let do. */
import { VERSION } from '../../../version.ts';
import type { Credential } from './find.ts';
import type { Identity } from './identity.ts';

export interface Challenge {
  readonly nonce: string;
  readonly ts: number;
}

/** As much of the gateway's greeting as we go by. */
export interface Hello {
  readonly server: { readonly version: string; readonly bootId?: string };
  readonly auth: { readonly scopes: readonly string[]; readonly deviceToken?: string };
  readonly policy: {
    /** Bytes of a frame. */
    readonly maxPayload: number;
    readonly tickIntervalMs: number;
    /** Decoded bytes of one attachment. Older gateways do not say. */
    readonly attachments?: { readonly maxBytes: number; readonly maxImageBytes: number };
  };
}

/** Who holds the token of a device has nothing else to show. */
export type ConnectAuth = Credential | { readonly deviceToken: string } | undefined;

const PROTOCOL = 4;
const ROLE = 'operator';
/**
 * What `openclaw agent` has as well. Only an administrator may say that a message is not to be read as a command, and
 * without that `/new` in a message would be one.
 */
const SCOPES = ['operator.read', 'operator.write', 'operator.admin'];

export function connectParams({ nonce, ts }: Challenge, identity: Identity, auth: ConnectAuth): object {
  const client = { id: 'gateway-client', version: VERSION, platform: process.platform, mode: 'backend' };
  const who = `v3|${identity.id}|${client.id}|${client.mode}|${ROLE}|${SCOPES.join(',')}`;
  // At the end is the family of devices, and ours has none.
  const signed = `${who}|${ts}|${tokenIn(auth)}|${nonce}|${client.platform}|`;
  return {
    minProtocol: PROTOCOL,
    maxProtocol: PROTOCOL,
    client: { ...client, displayName: 'Pincer' },
    role: ROLE,
    scopes: SCOPES,
    // Without it, nothing is told of tools.
    caps: ['tool-events'],
    ...(auth !== undefined && { auth }),
    device: {
      id: identity.id,
      publicKey: identity.publicKey,
      signature: identity.sign(signed),
      signedAt: ts,
      nonce,
    },
  };
}

function tokenIn(auth: ConnectAuth): string {
  if (auth === undefined || 'password' in auth) return '';
  return 'token' in auth ? auth.token : auth.deviceToken;
}
