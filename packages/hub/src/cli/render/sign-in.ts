/** Messages of `pincer login` and `pincer logout`. */
import type { SignedIn, SignedOut } from '../../control/contract/people.ts';
import type { PincerError } from '../../core/errors.ts';
import { visible } from '../../core/visible.ts';
import type { Style } from '../terminal/style.ts';
import { plural } from '../../lib/text.ts';
import { renderSpan } from './time.ts';

export interface LinkFacts {
  readonly name: string;
  readonly link: string;
  readonly userCode: string | undefined;
  readonly isOpen: boolean;
}

export function renderSignInLink({ name, link, userCode, isOpen }: LinkFacts): string {
  const opening = isOpen
    ? `Your browser opens the page to sign in to ${name}. If it does not, open this link:`
    : `Open this page to sign in to ${name}:`;
  const rest =
    userCode === undefined
      ? [
          'If your browser is on another machine, it cannot open the last page. Then copy the URL of that page and paste it here,',
          `or run: pincer login ${name} --code URL`,
        ]
      : [`Type this code there: ${userCode}`];
  return `${[opening, '', `  ${visible(link)}`, '', ...rest].join('\n')}\n`;
}

export interface SignedInFacts extends SignedIn {
  readonly tools: number | undefined;
  readonly problem: PincerError | undefined;
}

export function renderSignedIn(name: string, facts: SignedInFacts, style: Style, now: number): string {
  const { expiresAt, isRenewable, issuer, scopes, tools, problem } = facts;
  const until =
    expiresAt === undefined
      ? ''
      : isRenewable
        ? ' It is renewed automatically.'
        : ` It expires in ${renderSpan(expiresAt - now)}.`;
  const lines = [
    `${style.green('✓')} Signed in to ${name}, at ${visible(issuer)}.${until}`,
    ...(scopes.length > 0 ? [`  scopes: ${visible(scopes.join(' '))}`] : []),
    ...(tools === undefined ? [] : [`  ${plural(tools, 'tool')}`]),
    ...(problem === undefined ? [] : [`  but: ${visible(problem.message)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

export function renderSignedOut({ server, wasSignedIn, wasRevoked }: SignedOut): string {
  if (!wasSignedIn) return `You were not signed in to ${server}.\n`;
  return wasRevoked
    ? `Signed out of ${server}. The sign-in was revoked.\n`
    : `Signed out of ${server}. The sign-in could not be revoked at the authorization server; it expires there.\n`;
}
