/** A name for a server, made from its address. */

/** What addresses of MCP servers begin with, whoever's they are. */
const GENERIC = new Set(['mcp', 'api', 'www', 'app', 'server', 'remote', 'gateway', 'sse']);
/** Before a country: `co.uk`, `com.au`. */
const SECOND_LEVEL = new Set(['ac', 'co', 'com', 'edu', 'gov', 'net', 'org']);
const RESERVED = new Set(['device', 'agent', 'apps']);
const MAX_NAME = 30;

export function serverName(url: URL, taken: Iterable<string>): string {
  const name = baseName(url);
  const used = new Set([...taken].map((each) => each.toLowerCase()));
  const isFree = (each: string): boolean => !used.has(each.toLowerCase()) && !RESERVED.has(each);
  if (isFree(name)) return name;
  for (let count = 2; ; count++) {
    const suffix = `-${count}`;
    const next = name.slice(0, MAX_NAME - suffix.length) + suffix;
    if (isFree(next)) return next;
  }
}

function baseName({ hostname, port }: URL): string {
  const isAddress = /^[\d.]+$/.test(hostname) || hostname.startsWith('[');
  if (isAddress || hostname === 'localhost') return port === '' ? 'local' : `local-${port}`;
  const labels = hostname.split('.');
  const ending = SECOND_LEVEL.has(labels.at(-2) ?? '') && labels.at(-1)!.length === 2 ? 2 : 1;
  const owned = labels.slice(0, Math.max(1, labels.length - ending));
  const best = owned.findLast((label) => !GENERIC.has(label)) ?? owned.at(-1)!;
  const plain = best.replaceAll(/[^a-z0-9-]+/gi, '-').replaceAll(/^-+|-+$/g, '');
  return plain.slice(0, MAX_NAME) || 'server';
}
