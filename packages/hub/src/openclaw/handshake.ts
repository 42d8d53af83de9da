/** The first request on a gateway's socket, protocol 4: who we are, and what we ask to be allowed. */
import type { DeviceIdentity, GatewayRole } from '../core/ports.ts';
import { VERSION } from '../lib/version.ts';
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

/** One of these is enough: what the gateway's people share, the token of this device, or one that is good for a single pairing. */
export type ConnectAuth =
  | Credential
  | { readonly deviceToken: string }
  | { readonly bootstrapToken: string }
  | undefined;

/** What a connection is for: as what it comes, what it may do, and what it wants to be told of. */
export interface Purpose {
  readonly role: GatewayRole;
  /** OpenClaw takes only names that are on its own list. */
  readonly client: { readonly id: string; readonly mode: string };
  /** For people; absent: Pincer. */
  readonly displayName?: string | undefined;
  readonly scopes: readonly string[];
  readonly caps: readonly string[];
  /** What a node can be asked to do. */
  readonly commands?: readonly string[] | undefined;
  readonly permissions?: Readonly<Record<string, boolean>> | undefined;
}

/** For requests to the gateway, as its own command line makes them. */
export const OPERATOR = { role: 'operator', client: { id: 'gateway-client', mode: 'backend' } } as const;

const PROTOCOL = 4;

export function connectParams(
  { nonce, ts }: Challenge,
  identity: DeviceIdentity,
  auth: ConnectAuth,
  purpose: Purpose,
): object {
  const { role, displayName = 'Pincer', scopes, caps, commands, permissions } = purpose;
  const client = { ...purpose.client, version: VERSION, ...clientPlatform(process.platform) };
  const who = `v3|${identity.id}|${client.id}|${client.mode}|${role}|${scopes.join(',')}`;
  // OpenClaw makes this lower-case before it checks the signature.
  const machine = `${client.platform}|${client.deviceFamily ?? ''}`.toLowerCase();
  const signed = `${who}|${ts}|${tokenIn(auth)}|${nonce}|${machine}`;
  return {
    minProtocol: PROTOCOL,
    maxProtocol: PROTOCOL,
    client: { ...client, displayName },
    role,
    scopes,
    caps,
    ...(commands !== undefined && { commands }),
    ...(permissions !== undefined && { permissions }),
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
  if ('token' in auth) return auth.token;
  return 'deviceToken' in auth ? auth.deviceToken : auth.bootstrapToken;
}

/**
 * What kind of machine this is, in OpenClaw's words. A gateway allows a node what its platform and family allow together,
 * and pins both to the device: whoever comes with the same key and another family has to be approved again.
 */
interface ClientPlatform {
  readonly platform: string;
  readonly deviceFamily?: string;
}

const KNOWN: ReadonlyMap<string, ClientPlatform> = new Map([
  ['darwin', { platform: 'macos', deviceFamily: 'Mac' }],
  ['win32', { platform: 'windows', deviceFamily: 'Windows' }],
  ['linux', { platform: 'linux', deviceFamily: 'Linux' }],
]);

export const clientPlatform = (platform: NodeJS.Platform): ClientPlatform =>
  KNOWN.get(platform) ?? { platform };
