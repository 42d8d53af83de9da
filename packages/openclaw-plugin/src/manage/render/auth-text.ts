import type { ReportedAuth } from 'pincer/client';
import { renderSpan } from './span.ts';

/** `API Key`, `OAuth (expires 2h)`, `None`. */
export function authText(auth: ReportedAuth | undefined, now: number): string {
  switch (auth?.kind) {
    case 'api-key':
      return auth.needsSignIn === true ? 'API Key (refused)' : 'API Key';
    case 'oauth':
      return `OAuth${oauthState(auth, now)}`;
    case 'none':
    case undefined:
      return 'None';
  }
}

function oauthState({ needsSignIn, isPerCaller, expiresAt }: ReportedAuth, now: number): string {
  if (isPerCaller === true) return ' (each for themselves)';
  if (needsSignIn === true) return ' (sign-in needed)';
  if (expiresAt === undefined) return '';
  return expiresAt <= now ? ' (expired)' : ` (expires ${renderSpan(expiresAt - now)})`;
}
