/** The port of the gateway on this machine, and who says so. */
import type { Environment } from '../lib/environment.ts';

type FoundPort = { readonly port: number; readonly how: string } | { readonly reason: string };

const DEFAULT_PORT = 18_789;
const MAX_PORT = 65_535;
/** OpenClaw takes an address there, too, and uses the port alone. */
const PORT = /^(?:\[[^\]]+\]:|[^:]+:)?(\d{1,5})$/;

export function gatewayPort(env: Environment, configured: unknown): FoundPort {
  const named = env['OPENCLAW_GATEWAY_PORT']?.trim();
  if (named) return portOf(PORT.exec(named)?.[1], 'OPENCLAW_GATEWAY_PORT');
  if (configured !== undefined && configured !== null)
    return portOf(configured, 'gateway.port of openclaw.json');
  return { port: DEFAULT_PORT, how: 'the usual port' };
}

function portOf(value: unknown, how: string): FoundPort {
  const port = Number(value);
  return Number.isInteger(port) && port >= 1 && port <= MAX_PORT
    ? { port, how }
    : { reason: `${how} is no port: it is a number from 1 to ${MAX_PORT}.` };
}
