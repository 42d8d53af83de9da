/** Reads from the options which gateway to pair with. */
import { readFileSync } from 'node:fs';
import { messageOf, PincerError } from '../../core/errors.ts';
import { readFingerprint } from '../../core/fingerprint.ts';
import { visible } from '../../core/visible.ts';
import { browseGateways } from '../../openclaw/discovery.ts';
import { socketUrl } from '../../openclaw/find.ts';
import { readSetupCode } from '../../openclaw/setup-code.ts';
import { isGuarded } from '../../device/node/auth.ts';
import type { FirstConnection } from './first-connection.ts';

export interface PairFlags {
  readonly setupCode?: string | undefined;
  readonly url?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly tlsFingerprint?: string | undefined;
}

export interface PairOptions extends PairFlags {
  /** Seconds to wait for approvals on the gateway; absent: no limit. */
  readonly wait?: number | undefined;
}

export interface PairTarget {
  /** Undefined: the configured gateway. */
  readonly url: string | undefined;
  /** Fingerprint of its certificate. Undefined: the configured one, or a certificate that the system trusts. */
  readonly fingerprint?: string | undefined;
  /** The credential for the first connection. */
  readonly credential?: FirstConnection['credential'] | undefined;
}

export function readPairTarget({ setupCode, url, tokenFile, tlsFingerprint }: PairFlags): PairTarget {
  const token = tokenFile === undefined ? undefined : tokenIn(tokenFile);
  const given = tlsFingerprint === undefined ? undefined : fingerprintIn(tlsFingerprint);
  if (setupCode !== undefined) {
    const code = readSetupCode(setupCode, Date.now());
    // The option overrides the setup code.
    const fingerprint = given ?? code.fingerprint;
    return { url: guarded(code.url), fingerprint, credential: { bootstrapToken: code.bootstrapToken } };
  }
  if (url === undefined && token !== undefined)
    throw new PincerError('USAGE', '--token-file needs --url, because a token belongs to one gateway.', {
      hint: 'Add the URL of the gateway: --url wss://…',
    });
  return {
    url: url === undefined ? undefined : named(url),
    fingerprint: given,
    ...(token !== undefined && { credential: { token } }),
  };
}

function fingerprintIn(text: string): string {
  const fingerprint = readFingerprint(text.replace(/^sha256 fingerprint=/i, ''));
  if (fingerprint !== undefined) return fingerprint;
  throw new PincerError('USAGE', `${visible(text)} is not a SHA-256 fingerprint of a certificate.`, {
    hint: 'A fingerprint has 64 hexadecimal digits, with or without colons.',
  });
}

function named(text: string): string {
  const url = socketUrl(text);
  if (url !== undefined) return guarded(url);
  throw new PincerError('USAGE', `${visible(text)} is not the URL of a gateway.`, {
    hint: 'It must begin with wss://, or with ws:// for a gateway on this machine.',
  });
}

/** Without encryption, an attacker on the network could make the node run any command. */
function guarded(url: string): string {
  if (isGuarded(url)) return url;
  const { hostname, port } = new URL(url);
  const at = port === '' ? '80' : port;
  throw new PincerError('USAGE', `The connection to ${visible(url)} is not encrypted.`, {
    hint: `Use wss://, or a tunnel: \`ssh -N -L ${at}:127.0.0.1:${at} ${hostname}\`, then --url ws://127.0.0.1:${at}`,
  });
}

const TOKEN_HINT = "The file must contain only the gateway's token (gateway.auth.token).";

function tokenIn(path: string): string {
  try {
    const token = readFileSync(path, 'utf8').trim();
    if (token !== '') return token;
  } catch (error) {
    throw new PincerError('TOKEN_UNREADABLE', `${visible(path)} cannot be read: ${messageOf(error)}`, {
      hint: TOKEN_HINT,
    });
  }
  throw new PincerError('TOKEN_UNREADABLE', `${visible(path)} is empty.`, { hint: TOKEN_HINT });
}

/** Lists gateways on the network. Never connects to one by itself: any machine can pretend to be a gateway. */
export async function announcedGateways(): Promise<string> {
  const found = await browseGateways();
  if (found.length === 0) return 'No gateway found on this network.\n';
  const rows = found.map(({ name, url }) => {
    const remark = isGuarded(url) ? '' : '  not encrypted: use a tunnel';
    return `  pincer node pair --url ${url}  ${visible(name)}${remark}\n`;
  });
  return `Gateways found on this network. Check that the one you choose is yours:\n${rows.join('')}`;
}
