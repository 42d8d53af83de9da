/** The handshake with a gateway, protocol 4: its challenge, our `connect` request, and its hello. */
import { z } from 'zod';
import type { DeviceIdentity, GatewayRole } from '../core/ports.ts';
import { VERSION } from '../lib/version.ts';
import type { Credential } from './find.ts';

interface Challenge {
  readonly nonce: string;
  readonly ts: number;
}

/** The parts of the gateway's hello that Pincer uses. */
export interface Hello {
  readonly server: { readonly version: string; readonly bootId?: string | undefined };
  readonly auth: { readonly deviceToken?: string | undefined };
  /** Names the default agent. */
  readonly snapshot?:
    | { readonly sessionDefaults: { readonly defaultAgentId?: string | undefined } }
    | undefined;
  readonly policy: {
    /** Bytes of a frame. */
    readonly maxPayload: number;
    readonly tickIntervalMs: number;
    /** Decoded bytes of one attachment. Older gateways do not send it. */
    readonly attachments?: { readonly maxBytes: number; readonly maxImageBytes: number } | undefined;
  };
}

/** The gateway's shared credential, the token of this device, or a token for a single pairing. */
export type ConnectAuth =
  | Credential
  | { readonly deviceToken: string }
  | { readonly bootstrapToken: string }
  | undefined;

/** The purpose of a connection: role, scopes and capabilities. */
export interface Purpose {
  readonly role: GatewayRole;
  /** OpenClaw accepts only client ids of its own list. */
  readonly client: { readonly id: string; readonly mode: string };
  /** The name that people see. Default: Pincer. */
  readonly displayName?: string | undefined;
  readonly scopes: readonly string[];
  readonly caps: readonly string[];
  /** The commands of a node. */
  readonly commands?: readonly string[] | undefined;
  readonly permissions?: Readonly<Record<string, boolean>> | undefined;
  /** How the machine is described. Default: `clientPlatform`. */
  readonly machine?: ClientPlatform | undefined;
}

/** The role and client of OpenClaw's own command line, for requests to the gateway. */
export const OPERATOR = { role: 'operator', client: { id: 'gateway-client', mode: 'backend' } } as const;

const PROTOCOL = 4;

export function connectParams(
  { nonce, ts }: Challenge,
  identity: DeviceIdentity,
  auth: ConnectAuth,
  purpose: Purpose,
): object {
  const { role, displayName = 'Pincer', scopes, caps, commands, permissions } = purpose;
  const machine = purpose.machine ?? clientPlatform(process.platform);
  const client = { ...purpose.client, version: VERSION, ...machine };
  const who = `v3|${identity.id}|${client.id}|${client.mode}|${role}|${scopes.join(',')}`;
  // OpenClaw lower-cases the machine before it checks the signature.
  const what = `${machine.platform}|${machine.deviceFamily ?? ''}`.toLowerCase();
  const signed = `${who}|${ts}|${tokenIn(auth)}|${nonce}|${what}`;
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
 * The kind of this machine in OpenClaw's terms. A gateway derives the allowed commands of a node from both fields, and
 * pins them to the device: with another value, the same key has to be approved again.
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

/** OpenClaw's defaults, used if the hello lacks a value or has an invalid one. */
const USUAL_PAYLOAD = 25 * 1024 * 1024;
const USUAL_TICK_MS = 30_000;
/** A timer waits for a few ticks, and its limit is 2^31 ms. */
const MAX_TICK_MS = 2 ** 29;

/** A longer device token is not kept. */
const MAX_TOKEN = 4_096;

const text = z.string().optional().catch(undefined);
const bytes = z.number().positive();

const challenge = z.object({ nonce: z.string(), ts: z.number() });

const hello = z.object({
  server: z.object({ version: z.string().catch('of unknown version'), bootId: text }),
  auth: z.object({ deviceToken: z.string().min(1).max(MAX_TOKEN).optional().catch(undefined) }).catch({}),
  snapshot: z
    .object({ sessionDefaults: z.object({ defaultAgentId: text }) })
    .optional()
    .catch(undefined),
  policy: z
    .object({
      maxPayload: bytes.catch(USUAL_PAYLOAD),
      tickIntervalMs: z.number().positive().max(MAX_TICK_MS).catch(USUAL_TICK_MS),
      attachments: z.object({ maxBytes: bytes, maxImageBytes: bytes }).optional().catch(undefined),
    })
    .catch({ maxPayload: USUAL_PAYLOAD, tickIntervalMs: USUAL_TICK_MS }),
});

/** Returns undefined if it is not a gateway's challenge. */
export const readChallenge = (value: unknown): Challenge | undefined => challenge.safeParse(value).data;

/** Returns undefined if it is not a hello. */
export const readHello = (value: unknown): Hello | undefined => hello.safeParse(value).data;
