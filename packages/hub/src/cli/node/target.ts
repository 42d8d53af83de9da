/** Which gateway this machine is to be a node of. */
import { readFileSync } from 'node:fs';
import { messageOf, PincerError } from '../../core/errors.ts';
import { readFingerprint } from '../../core/fingerprint.ts';
import { visible } from '../../core/visible.ts';
import { browseGateways } from '../../openclaw/discovery.ts';
import { socketUrl } from '../../openclaw/find.ts';
import { readSetupCode } from '../../openclaw/setup-code.ts';
import { isGuarded } from '../../device/node/auth.ts';
import type { Introduction } from './introduce.ts';

export interface PairFlags {
  readonly setupCode?: string | undefined;
  readonly url?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly tlsFingerprint?: string | undefined;
}

export interface PairOptions extends PairFlags {
  /** How many seconds somebody waits for what has to be done on the gateway; absent: until it is done. */
  readonly wait?: number | undefined;
}

export interface PairTarget {
  /** Undefined: the one that the configuration leads to. */
  readonly url: string | undefined;
  /** Of its certificate; undefined: it is one that the system trusts, or the configuration says which. */
  readonly fingerprint?: string | undefined;
  /** What was given for the first visit. */
  readonly pass?: Introduction['pass'] | undefined;
}

export function readPairTarget({ setupCode, url, tokenFile, tlsFingerprint }: PairFlags): PairTarget {
  const token = tokenFile === undefined ? undefined : tokenIn(tokenFile);
  const given = tlsFingerprint === undefined ? undefined : fingerprintIn(tlsFingerprint);
  if (setupCode !== undefined) {
    const code = readSetupCode(setupCode, Date.now());
    // One that a person names counts for more.
    const fingerprint = given ?? code.fingerprint;
    return { url: guarded(code.url), fingerprint, pass: { bootstrapToken: code.bootstrapToken } };
  }
  if (url === undefined && token !== undefined)
    throw new PincerError('USAGE', 'A token is for one gateway.', { hint: 'Say --url as well.' });
  return {
    url: url === undefined ? undefined : named(url),
    fingerprint: given,
    ...(token !== undefined && { pass: { token } }),
  };
}

function fingerprintIn(text: string): string {
  const fingerprint = readFingerprint(text.replace(/^sha256 fingerprint=/i, ''));
  if (fingerprint !== undefined) return fingerprint;
  throw new PincerError('USAGE', `${visible(text)} is no SHA-256 fingerprint of a certificate.`, {
    hint: 'It has 64 digits from 0 to f, with colons between or without.',
  });
}

function named(text: string): string {
  const url = socketUrl(text);
  if (url !== undefined) return guarded(url);
  throw new PincerError('USAGE', `${visible(text)} is no address of a gateway.`, {
    hint: 'It begins with wss://, or with ws:// on this machine.',
  });
}

/** Whoever stands between a node and its gateway can have the node do anything. */
function guarded(url: string): string {
  if (isGuarded(url)) return url;
  const { hostname, port } = new URL(url);
  const at = port === '' ? '80' : port;
  throw new PincerError('USAGE', `${visible(url)} would be spoken to in clear text.`, {
    hint: `Use wss://, or a tunnel: \`ssh -N -L ${at}:127.0.0.1:${at} ${hostname}\`, and then --url ws://127.0.0.1:${at}`,
  });
}

const TOKEN_HINT = "It is a file with the gateway's token (gateway.auth.token) and nothing else.";

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

/** For somebody who knows of none. What is found is shown, and never connected to by itself: anybody in a network can say that they are one. */
export async function announcedGateways(): Promise<string> {
  const found = await browseGateways();
  if (found.length === 0) return 'No gateway says in this network that it is there.\n';
  const rows = found.map(({ name, url }) => {
    const remark = isGuarded(url) ? '' : '  speaks in clear text: reach it by a tunnel';
    return `  pincer node pair --url ${url}  ${visible(name)}${remark}\n`;
  });
  return `Gateways that say in this network that they are there. Check that it is yours:\n${rows.join('')}`;
}
