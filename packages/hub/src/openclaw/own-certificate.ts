/** The certificate of the gateway on this machine, where OpenClaw keeps it. Its own command line trusts that one alone, too. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Environment } from '../core/environment.ts';
import { readFingerprint } from '../core/fingerprint.ts';

/** Undefined: it cannot be read, and what the system trusts counts. */
export function ownFingerprint(certPath: unknown, env: Environment): string | undefined {
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
