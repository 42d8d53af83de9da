/** Where the gateway that this plugin runs in can be reached from outside, and how. */
import { PincerError } from 'pincer/client';
import type { HostConfig } from '../host.ts';
import { partAt } from '../entries/record.ts';
import type { GatewayAuth } from './handshake.ts';

export interface GatewayAddress {
  readonly url: string;
  readonly auth: GatewayAuth;
}

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_PORT = 18_789;

/** `port` is where it listens, as it has said itself; what the file says may have been overruled. */
export function gatewayAddress(config: HostConfig, env: Environment, port?: number): GatewayAddress {
  const gateway = partAt(config, 'gateway');
  if (partAt(gateway, 'tls')?.['enabled'] === true) throw cannot('its gateway speaks TLS');
  const configured = gateway?.['port'];
  const at = port ?? (typeof configured === 'number' ? configured : DEFAULT_PORT);
  return { url: `ws://127.0.0.1:${at}`, auth: authOf(partAt(gateway, 'auth') ?? {}, env) };
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
