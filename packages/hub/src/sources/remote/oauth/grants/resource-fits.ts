/** Whether a token for a resource may go to an address. Pure. */

/**
 * The address is the resource itself, or below it (RFC 8707, RFC 9728 §3.3): what was signed in to at one place is never
 * shown at another, though the server has kept its name.
 */
export function resourceFits(resource: string, address: string): boolean {
  const [wide, narrow] = [URL.parse(resource), URL.parse(address)];
  if (wide === null || narrow === null || wide.origin !== narrow.origin) return false;
  return withSlash(narrow.pathname).startsWith(withSlash(wide.pathname));
}

const withSlash = (path: string): string => (path.endsWith('/') ? path : `${path}/`);
