/** Where the gateway that this plugin runs in can be reached from outside, and how. */
import { PincerError } from 'pincer/client';
import type { HostConfig } from '../host.ts';
import { partAt } from '../config-part.ts';
import type { GatewayAuth } from './handshake.ts';

export interface GatewayAddress {
  readonly url: string;
  readonly auth: GatewayAuth;
}

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_PORT = 18_789;

/** Of the gateway that was started with these arguments. */
export function gatewayAddress(
  config: HostConfig,
  env: Environment,
  argv: readonly string[],
): GatewayAddress {
  const gateway = partAt(config, 'gateway');
  if (partAt(gateway, 'tls')?.['enabled'] === true) throw cannot('its gateway speaks TLS');
  const port =
    portIn(argv) || Number(env['OPENCLAW_GATEWAY_PORT']) || Number(gateway?.['port']) || DEFAULT_PORT;
  return { url: `ws://127.0.0.1:${port}`, auth: authOf(partAt(gateway, 'auth') ?? {}, env) };
}

function portIn(argv: readonly string[]): number {
  const at = argv.indexOf('--port');
  const text =
    at < 0 ? argv.find((each) => each.startsWith('--port='))?.slice('--port='.length) : argv[at + 1];
  return Number(text ?? 0);
}

function authOf(auth: Readonly<Record<string, unknown>>, env: Environment): GatewayAuth {
  const token = env['OPENCLAW_GATEWAY_TOKEN'] || auth['token'];
  const password = env['OPENCLAW_GATEWAY_PASSWORD'] || auth['password'];
  if (auth['mode'] === 'none') return undefined;
  if (auth['mode'] !== 'password' && typeof token === 'string') return { token };
  if (typeof password === 'string') return { password };
  throw cannot('its gateway has neither a token nor a password');
}

const cannot = (why: string): PincerError =>
  new PincerError('USAGE', `Tools cannot get into OpenClaw by way of a node: ${why}.`, {
    hint: 'Set toolsVia to "mcp-servers", or leave it out.',
  });
