import type { ProxyConfig } from '../../config/proxy-schema.ts';
import { isLoopbackHost, isSecure } from '../../core/loopback.ts';
import { ok, warn, type Finding } from './finding.ts';

const PUBLIC_URL = 'proxy.publicUrl';

/** Whether those who are to reach the app proxy can, and what others on the way could read. */
export function checkReach({ host, publicUrl, allowedHosts }: ProxyConfig): Finding[] {
  const isLocal = isLoopbackHost(host);
  const url = publicUrl === undefined ? undefined : new URL(publicUrl);
  if (url !== undefined) return [checkPublicUrl(url, isLocal)];
  if (isLocal) return [];
  const reach = warn(
    'proxy.host',
    `Other machines reach the app proxy on ${host}, and what they send can be read on its way, tokens too.`,
    'Put a web server with TLS in front of it and set "proxy.publicUrl" to its address, or listen on 127.0.0.1.',
  );
  if (allowedHosts.length > 0) return [reach];
  return [
    reach,
    warn(
      'proxy.allowedHosts',
      'No name is set by which other machines may ask for the app proxy, so that all they ask is refused.',
      'Set "proxy.publicUrl", or "proxy.allowedHosts" to the names and addresses that they use.',
    ),
  ];
}

function checkPublicUrl(url: URL, isLocal: boolean): Finding {
  if (isLoopbackHost(url.hostname) && !isLocal)
    return warn(
      PUBLIC_URL,
      `Apps are told to come to ${url.origin}, which on another machine is that machine itself.`,
      'Set it to the address under which others reach the app proxy.',
    );
  if (!isSecure(url))
    return warn(
      PUBLIC_URL,
      `Apps are told to come to ${url.origin}: what they send can be read on its way, tokens too.`,
      'Put a web server with TLS in front of the app proxy, and write https:// here.',
    );
  return ok(PUBLIC_URL, `Apps are told to come to ${url.origin}.`);
}
