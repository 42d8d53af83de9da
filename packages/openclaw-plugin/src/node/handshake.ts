/** The first request on a gateway's socket, protocol 4: who we are, and what we can be asked to do. */
import { VERSION, type DeviceIdentity } from 'pincer/client';

export interface Challenge {
  readonly nonce: string;
  readonly ts: number;
}

/** How the gateway knows its own people. */
export type GatewayAuth = { readonly token: string } | { readonly password: string } | undefined;

/** The one command that we serve. OpenClaw allows it by itself, once a person has approved the node. */
export const CALL_COMMAND = 'mcp.tools.call.v1';
const PROTOCOL = 4;
const ROLE = 'node';

export function connectParams({ nonce, ts }: Challenge, identity: DeviceIdentity, auth: GatewayAuth): object {
  const client = { id: 'node-host', version: VERSION, platform: process.platform, mode: 'node' };
  const token = auth !== undefined && 'token' in auth ? auth.token : '';
  // No scopes, and no family of devices.
  const signed = ['v3', identity.id, client.id, client.mode, ROLE, '', ts, token, nonce, client.platform, ''];
  return {
    minProtocol: PROTOCOL,
    maxProtocol: PROTOCOL,
    client: { ...client, displayName: 'Pincer' },
    role: ROLE,
    scopes: [],
    caps: ['mcp'],
    commands: [CALL_COMMAND],
    ...(auth !== undefined && { auth }),
    device: {
      id: identity.id,
      publicKey: identity.publicKey,
      signature: identity.sign(signed.join('|')),
      signedAt: ts,
      nonce,
    },
  };
}
