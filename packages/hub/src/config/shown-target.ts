import { hideClearSecrets } from './hide-secrets.ts';

/** Where a server is, fit to be shown: references unresolved, and nothing of it that could be a secret. */
export function shownTarget({ url, command, args }: Readonly<Record<string, unknown>>): string {
  if (typeof command === 'string') {
    const words = hideClearSecrets(Array.isArray(args) ? args : [], 'args') as unknown[];
    return [command, ...words].map(String).join(' ');
  }
  return typeof url === 'string' ? url.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//') : '';
}
