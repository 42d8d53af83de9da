/** An address as anybody may see it: whatever stands behind its path may be a secret. */
export function shownAddress(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + (pathname === '/' ? '' : pathname);
}
