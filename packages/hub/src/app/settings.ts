/** The options of `connect`, checked and filled in. */
import { AppError } from './error.ts';
import type { ConnectOptions } from './options.ts';
import type { SessionStorage } from './remember.ts';
import { pageStorage } from './surroundings.ts';
import { APP_TIMES, type AppTimes } from './times.ts';

export interface Settings {
  /** Without a slash at its end. */
  readonly url: string;
  readonly token: string;
  readonly times: AppTimes;
  readonly storage: SessionStorage | undefined;
}

export const settled = ({ url, token = '', times, remember = true }: ConnectOptions): Settings => ({
  url: addressOf(url),
  token: checkedToken(token),
  times: { ...APP_TIMES, ...times },
  storage: typeof remember === 'object' ? remember : remember ? pageStorage() : undefined,
});

function addressOf(url: string): string {
  const { protocol, href } = URL.parse(url) ?? {};
  if (href === undefined || (protocol !== 'http:' && protocol !== 'https:'))
    throw new AppError('ARGUMENT_INVALID', `url: "${url}" is no address of a hub.`, {
      hint: 'Give the address that `pincer up` prints for the app proxy: http://127.0.0.1:8000 by default.',
    });
  return href.replace(/\/+$/, '');
}

/** The hub has none with these in it. What no header takes would look like a hub that cannot be reached. */
function checkedToken(token: string): string {
  if (/^[^\s\p{Cc}]*$/u.test(token)) return token;
  throw new AppError('ARGUMENT_INVALID', 'token: has characters in it that no token has.', {
    hint: 'Leave out spaces and line breaks.',
  });
}
