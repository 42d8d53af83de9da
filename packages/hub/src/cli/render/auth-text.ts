import type { ReportedAuth } from '../../control/contract/status.ts';
import { renderSpan } from './time.ts';

/** How a server is shown who asks: `API key`, `OAuth (expires in 2 h)`. Undefined: not at all. */
export function authText(auth: ReportedAuth | undefined, now: number): string | undefined {
  if (auth === undefined || auth.kind === 'none') return undefined;
  if (auth.kind === 'api-key') return auth.needsSignIn === true ? 'API key (refused)' : 'API key';
  if (auth.needsSignIn === true) return 'OAuth (sign-in needed)';
  if (auth.isPerCaller === true) return 'OAuth (each caller)';
  return auth.expiresAt === undefined ? 'OAuth' : `OAuth (${expiry(auth.expiresAt, now)})`;
}

const expiry = (at: number, now: number): string =>
  at <= now ? 'expired' : `expires in ${renderSpan(at - now)}`;

/** The same in full, for one server. */
export function authFact(auth: ReportedAuth | undefined, now: number): string | undefined {
  const text = authText(auth, now);
  if (text === undefined || auth?.kind !== 'oauth' || auth.needsSignIn === true) return text;
  const renewed = auth.isRenewable === true ? ', renewed by itself' : '';
  const scopes = auth.scopes === undefined || auth.scopes.length === 0 ? '' : `: ${auth.scopes.join(' ')}`;
  return `${text}${renewed}${scopes}`;
}
