/** A gateway that runs on this machine though nothing says so: known by the page that it serves. */
import type { Environment } from '../../lib/environment.ts';
import { gatewayPort } from '../gateway-port.ts';

const TITLE = /<title>\s*OpenClaw Control\s*<\/title>/i;
const LOOK_MS = 1_000;
const MAX_CHARS = 64 * 1024;

/** Undefined: none answers at the port that gateways have. */
export async function findLocalGateway(env: Environment): Promise<string | undefined> {
  const found = gatewayPort(env, undefined);
  if (!('port' in found)) return undefined;
  return (await isGatewayAt(found.port)) ? `ws://127.0.0.1:${found.port}` : undefined;
}

export async function isGatewayAt(port: number): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(LOOK_MS);
    const response = await fetch(`http://127.0.0.1:${port}/`, { signal, redirect: 'error' });
    return response.ok && TITLE.test((await response.text()).slice(0, MAX_CHARS));
  } catch {
    return false;
  }
}
