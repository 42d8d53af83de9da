/** Decides which addresses the canvas shows: public ones, and those that the person has allowed. Pure. */
import { isIP } from 'node:net';
import { CommandFailure } from '../registry/capability.ts';

const invalid = (why: string): CommandFailure =>
  new CommandFailure(`Invalid url: ${why}`, { notExecuted: true });

/** Parses an address. Throws the documented text if it is invalid. */
export function readUrl(text: string): URL {
  const plain = text.trim();
  if (plain === '') throw invalid('url is empty');
  if (!/^[a-z][a-z\d+.-]*:/i.test(plain)) throw invalid('url is not an absolute URI');
  const scheme = plain.slice(0, plain.indexOf(':')).toLowerCase();
  if (scheme !== 'http' && scheme !== 'https')
    throw invalid(`scheme '${scheme}' is not allowed (only http/https)`);
  if (!/^https?:\/\/[^/?#\\]/i.test(plain)) throw invalid('url has no host');
  if (!URL.canParse(plain)) throw invalid('url is not an absolute URI');
  const url = new URL(plain);
  if (url.hostname === '') throw invalid('url has no host');
  if (url.username !== '' || url.password !== '')
    throw invalid('url contains userinfo (user:password@) which is not allowed');
  return url;
}

/** Why an address is not shown unless the person allows it. Undefined if it is public. */
function riskOf({ protocol, hostname }: URL): string | undefined {
  const host = hostname.replace(/\.$/, '');
  if (isIP(host.replace(/^\[|\]$/g, '')) !== 0) return 'its host is an IP address';
  if (host === 'localhost' || host.endsWith('.localhost')) return 'its host is this machine';
  if (!host.includes('.')) return 'its host has no dot, so it is a name of the local network';
  if (LOCAL_ENDS.some((end) => host.endsWith(end))) return 'its host is a name of the local network';
  if (host.split('.').some((label) => label.startsWith('xn--')))
    return 'its host has letters that look like others';
  return protocol === 'https:' ? undefined : 'it is not https';
}

const LOCAL_ENDS = [
  '.local',
  '.internal',
  '.lan',
  '.home',
  '.home.arpa',
  '.corp',
  '.intranet',
  '.test',
  '.invalid',
];

/** `host:port` in the form of the guard. */
const placeOf = ({ protocol, hostname, port }: URL): string =>
  `${hostname.replace(/^\[|\]$/g, '')}:${port || (protocol === 'https:' ? '443' : '80')}`;

/** Why this address is not shown. Undefined if it is public, or if the person has allowed its host and port. */
export const refusalOf = (url: URL, allow: ReadonlySet<string>): string | undefined =>
  allow.has(placeOf(url)) ? undefined : riskOf(url);
