/** Finds the gateway of OpenClaw and its credential, in the same way as OpenClaw's own command line. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { readFingerprint } from '../core/fingerprint.ts';
import type { Environment } from '../lib/process.ts';
import { isRecord, valueAt } from '../lib/record.ts';
import { isLoopbackHost } from '../lib/loopback.ts';
import { isLocalNetworkAddress } from '../lib/net-address.ts';

export type Credential = { readonly token: string } | { readonly password: string };

export interface GatewayAddress {
  /** `ws://` or `wss://`. */
  readonly url: string;
  /** Undefined if none is configured. A device token, or a gateway without authentication, may still work. */
  readonly credential: Credential | undefined;
  /** The pinned certificate, from `readFingerprint`; undefined if the system's CAs decide. */
  readonly fingerprint?: string | undefined;
  /** Where it was found, for `doctor`. Never contains a secret. */
  readonly how: string;
  /** A setting or a variable names this gateway. */
  readonly isNamed?: boolean;
  /** Nothing names a gateway, so this is the default port. */
  readonly isGuess?: boolean;
}

interface GatewaySources {
  readonly env: Environment;
  /** The content of openclaw.json; undefined if there is no such file. */
  readonly config?: unknown;
  /** The gateway that a setting names. */
  readonly gatewayUrl?: NamedGateway | undefined;
  /** The configured fingerprint of the gateway's certificate. */
  readonly fingerprint?: string | undefined;
}

type Kind = 'token' | 'password';

type Found = GatewayAddress | { readonly reason: string };

export function findGateway(where: GatewaySources): Found {
  const found = findAddress(where);
  return where.fingerprint === undefined || !('url' in found)
    ? found
    : withFingerprint(where.fingerprint, 'device.gatewayFingerprint', found);
}

/** An invalid fingerprint is an error. It must not be treated as missing. */
function withFingerprint(text: string, how: string, address: GatewayAddress): Found {
  const fingerprint = readFingerprint(text);
  if (fingerprint !== undefined) return { ...address, fingerprint };
  return { reason: `${how} is not a SHA-256 fingerprint of a certificate.` };
}

function findAddress(where: GatewaySources): Found {
  const { env, config, gatewayUrl } = where;
  const own = ownGateway(where);
  // A secret is sent only to the gateway that it was configured for.
  const named = gatewayUrl?.url || env['OPENCLAW_GATEWAY_URL'];
  if (named) {
    const how = gatewayUrl?.url ? gatewayUrl.setting : 'OPENCLAW_GATEWAY_URL';
    const url = socketUrl(named);
    if (url === undefined) return { reason: `${how} is not a gateway URL. Use ws:// or wss://.` };
    if (!isPrivateEnough(url)) return { reason: `${how} would send the token in clear text: use wss://.` };
    if ('url' in own && own.url === url) return { ...own, how, isNamed: true };
    return withCredential({ url, how, isNamed: true }, [
      environment(env, 'token'),
      environment(env, 'password'),
    ]);
  }
  if (isRecord(config) || env['OPENCLAW_GATEWAY_PORT'] || env['OPENCLAW_GATEWAY_TOKEN']) return own;
  return { ...own, how: 'the default port, because there is no openclaw.json', isGuess: true };
}

/** The gateway that OpenClaw's configuration names. */
function ownGateway({ env, config }: GatewaySources): Found {
  const at = (...path: string[]): unknown => valueAt(config, ['gateway', ...path]);
  const secret = (part: 'auth' | 'remote', kind: Kind): ConfiguredText => configuredText(at(part, kind), env);
  if (at('mode') === 'remote') {
    const url = configuredText(at('remote', 'url'), env);
    const remote = url !== undefined && 'text' in url ? socketUrl(url.text) : undefined;
    if (remote === undefined)
      return { reason: 'OpenClaw is set to a remote gateway, but gateway.remote.url is missing or invalid.' };
    if (!isPrivateEnough(remote))
      return { reason: 'gateway.remote.url would send the token in clear text: use wss://.' };
    const found = withCredential({ url: remote, how: 'gateway.remote.url of openclaw.json' }, [
      secret('remote', 'token'),
      environment(env, 'token'),
      secret('auth', 'token'),
      asPassword(environment(env, 'password')),
      asPassword(secret('remote', 'password')),
      asPassword(secret('auth', 'password')),
    ]);
    const pin = configuredText(at('remote', 'tlsFingerprint'), env);
    if (pin === undefined || !('url' in found)) return found;
    return withFingerprint(
      'text' in pin ? pin.text : '',
      'gateway.remote.tlsFingerprint of openclaw.json',
      found,
    );
  }
  const found = gatewayPort(env, at('port'));
  if ('reason' in found) return found;
  const isTls = at('tls', 'enabled') === true;
  const address = {
    url: `${isTls ? 'wss' : 'ws'}://127.0.0.1:${found.port}`,
    fingerprint: isTls ? ownFingerprint(at('tls', 'certPath'), env) : undefined,
    how: found.how,
  };
  const mode = at('auth', 'mode');
  if (mode === 'none') return { ...address, credential: undefined };
  const tokens = [secret('auth', 'token'), environment(env, 'token'), secret('remote', 'token')];
  const passwords = [secret('auth', 'password'), environment(env, 'password'), secret('remote', 'password')];
  return withCredential(
    address,
    // In these modes the gateway accepts only a password.
    mode === 'password' || mode === 'trusted-proxy'
      ? passwords.map(asPassword)
      : [...tokens, ...passwords.map(asPassword)],
  );
}

type Candidate = ConfiguredText & { readonly isPassword?: boolean };

const asPassword = (text: ConfiguredText): Candidate | undefined => text && { ...text, isPassword: true };

const environment = (env: Environment, kind: Kind): Candidate | undefined => {
  const text = env[`OPENCLAW_GATEWAY_${kind.toUpperCase()}`];
  return text ? { text, isPassword: kind === 'password' } : undefined;
};

function withCredential(
  address: Omit<GatewayAddress, 'credential'>,
  candidates: readonly (Candidate | undefined)[],
): Found {
  const first = candidates.find((each) => each !== undefined && 'text' in each);
  if (first !== undefined && 'text' in first)
    return {
      ...address,
      credential: first.isPassword === true ? { password: first.text } : { token: first.text },
    };
  const missing = candidates.find((each) => each !== undefined && 'missing' in each);
  if (missing !== undefined && 'missing' in missing)
    return {
      reason: `The gateway's secret in openclaw.json ${missing.missing}. Set OPENCLAW_GATEWAY_TOKEN to it.`,
    };
  return { ...address, credential: undefined };
}

export function socketUrl(text: string): string | undefined {
  const url = URL.parse(text.trim().replace(/^http/, 'ws'));
  if (url === null || !/^wss?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return undefined;
  // The URL of OpenClaw's web page has a token in its fragment.
  url.hash = '';
  return url.href.replace(/\/$/, '');
}

/** Like OpenClaw, allows ws:// in private networks, but not on the internet. */
function isPrivateEnough(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return protocol === 'wss:' || isLoopbackHost(hostname) || isPrivateHost(hostname.replace(/^\[|\]$/g, ''));
}

const isPrivateHost = (host: string): boolean =>
  isIP(host) === 0 ? PRIVATE_NAME.test(host) : isLocalNetworkAddress(host);

const PRIVATE_NAME = /^[^.]+$|\.(?:local|lan|ts\.net)$/;

/**
 * The certificate of the gateway on this machine. OpenClaw's own command line trusts only this one as well. Returns
 * undefined if it cannot be read; then the system's CAs decide.
 */
function ownFingerprint(certPath: unknown, env: Environment): string | undefined {
  const home = env['HOME'] || env['USERPROFILE'] || '';
  const path =
    typeof certPath === 'string' && certPath.trim() !== ''
      ? resolve(certPath.trim().replace(/^~(?=$|[/\\])/, home))
      : join(stateFolder(env, home), 'gateway', 'tls', 'gateway-cert.pem');
  try {
    return readFingerprint(new X509Certificate(readFileSync(path)).fingerprint256);
  } catch {
    return undefined;
  }
}

function stateFolder(env: Environment, home: string): string {
  if (env['OPENCLAW_STATE_DIR']) return env['OPENCLAW_STATE_DIR'];
  if (env['OPENCLAW_CONFIG_PATH']) return dirname(env['OPENCLAW_CONFIG_PATH']);
  return join(home, '.openclaw');
}

/** The text, or why it is missing, as the end of "the token …". */
type ConfiguredText = { readonly text: string } | { readonly missing: string } | undefined;

const REFERENCE = /\$(\$?)\{([A-Z_][A-Z0-9_]*)\}/g;

/** Reads a text of OpenClaw's configuration in the same way as OpenClaw: `${NAME}` is a variable, `$${NAME}` is not. */
export function configuredText(value: unknown, env: Environment): ConfiguredText {
  if (isRecord(value)) return fromSecretRef(value, env);
  if (typeof value !== 'string' || value === '') return undefined;
  let missing: string | undefined;
  const text = value.replaceAll(REFERENCE, (_, escape: string, name: string) => {
    if (escape !== '') return `\${${name}}`;
    if (!env[name]) missing ??= name;
    return env[name] ?? '';
  });
  return missing === undefined ? { text } : { missing: `needs the variable ${missing}` };
}

/** Only the environment is readable here, not the other secret stores of OpenClaw. */
function fromSecretRef({ source, id }: Readonly<Record<string, unknown>>, env: Environment): ConfiguredText {
  if (source !== 'env' || typeof id !== 'string')
    return { missing: `is in a store that only OpenClaw can read (${String(source)})` };
  return env[id] ? { text: env[id] } : { missing: `needs the variable ${id}` };
}

/** The gateway that a setting of Pincer names. Error messages name the setting. */
interface NamedGateway {
  readonly url: string;
  readonly setting: string;
}

/** The gateway for orders. */
export const agentGateway = (url: string | undefined): NamedGateway | undefined =>
  url === undefined ? undefined : { url, setting: 'agent.gatewayUrl' };

/** The gateway whose node this machine is; by default the one for orders. */
export const nodeGateway = (
  device: string | undefined,
  agent: string | undefined,
): NamedGateway | undefined =>
  device === undefined ? agentGateway(agent) : { url: device, setting: 'device.gatewayUrl' };

type FoundPort = { readonly port: number; readonly how: string } | { readonly reason: string };

const DEFAULT_PORT = 18_789;
const MAX_PORT = 65_535;
/** OpenClaw also accepts `host:port` there, and uses only the port. */
const PORT = /^(?:\[[^\]]+\]:|[^:]+:)?(\d{1,5})$/;

/** The port of the gateway on this machine, and where it is configured. */
export function gatewayPort(env: Environment, configured: unknown): FoundPort {
  const named = env['OPENCLAW_GATEWAY_PORT']?.trim();
  if (named) return portOf(PORT.exec(named)?.[1], 'OPENCLAW_GATEWAY_PORT');
  if (configured !== undefined && configured !== null)
    return portOf(configured, 'gateway.port of openclaw.json');
  return { port: DEFAULT_PORT, how: 'the default port' };
}

function portOf(value: unknown, how: string): FoundPort {
  const port = Number(value);
  return Number.isInteger(port) && port >= 1 && port <= MAX_PORT
    ? { port, how }
    : { reason: `${how} is not a port. Use a number from 1 to ${MAX_PORT}.` };
}
