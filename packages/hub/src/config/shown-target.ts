/** Where a server is, fit to be shown: references unresolved, and nothing of a URL that could be a secret. */
export function shownTarget({ url, command, args }: Readonly<Record<string, unknown>>): string {
  if (typeof command === 'string')
    return [command, ...(Array.isArray(args) ? args : [])].map(String).join(' ');
  return typeof url === 'string' ? url.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//') : '';
}
