/** The first request on a gateway's socket, protocol 4: who we are, and what we may be asked to be let do. */
import type { DeviceIdentity } from '../../../../core/ports.ts';
import { VERSION } from '../../../../version.ts';
import type { Credential } from './find.ts';

export interface Challenge {
  readonly nonce: string;
  readonly ts: number;
}

/** As much of the gateway's greeting as we go by. */
export interface Hello {
  readonly server: { readonly version: string; readonly bootId?: string | undefined };
  readonly auth: { readonly deviceToken?: string | undefined };
  /** Which agent is asked where nobody names one. */
  readonly snapshot?:
    | { readonly sessionDefaults: { readonly defaultAgentId?: string | undefined } }
    | undefined;
  readonly policy: {
    /** Bytes of a frame. */
    readonly maxPayload: number;
    readonly tickIntervalMs: number;
    /** Decoded bytes of one attachment. Older gateways do not say. */
    readonly attachments?: { readonly maxBytes: number; readonly maxImageBytes: number } | undefined;
  };
}

/** Who holds the token of a device has nothing else to show. */
export type ConnectAuth = Credential | { readonly deviceToken: string } | undefined;

/** What a connection is for: what it may do, and what it wants to be told of. */
export interface Purpose {
  readonly scopes: readonly string[];
  readonly caps: readonly string[];
}

/**
 * What `openclaw agent` has as well. Only an administrator may say that a message is not to be read as a command, and
 * without that `/new` in a message would be one. Without the capability, nothing is told of tools.
 */
export const ORDERS: Purpose = {
  scopes: ['operator.read', 'operator.write', 'operator.admin'],
  caps: ['tool-events'],
};

/**
 * To answer for a person. Whoever is no administrator is asked about runs that the same device has begun, and about no
 * others. Had the connection of orders these capabilities, OpenClaw would take it for somebody who answers for all
 * runs, those of channels included, and wait half an hour for that where it refuses at once.
 */
export const APPROVALS: Purpose = {
  scopes: ['operator.approvals'],
  caps: ['exec-approvals', 'plugin-approvals'],
};

const PROTOCOL = 4;
const ROLE = 'operator';

export function connectParams(
  { nonce, ts }: Challenge,
  identity: DeviceIdentity,
  auth: ConnectAuth,
  { scopes, caps }: Purpose = ORDERS,
): object {
  const client = { id: 'gateway-client', version: VERSION, platform: process.platform, mode: 'backend' };
  const who = `v3|${identity.id}|${client.id}|${client.mode}|${ROLE}|${scopes.join(',')}`;
  // At the end is the family of devices, and ours has none.
  const signed = `${who}|${ts}|${tokenIn(auth)}|${nonce}|${client.platform}|`;
  return {
    minProtocol: PROTOCOL,
    maxProtocol: PROTOCOL,
    client: { ...client, displayName: 'Pincer' },
    role: ROLE,
    scopes,
    caps,
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
