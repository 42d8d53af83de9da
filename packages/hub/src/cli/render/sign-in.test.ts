import { describe, expect, it } from 'vitest';
import { PincerError } from '../../core/errors.ts';
import { PLAIN } from '../terminal/style.ts';
import { renderSignedIn, renderSignedOut, renderSignInLink } from './sign-in.ts';
import { verifies } from '../../../../../test/verifies.ts';

const LINK = { name: 'docs', link: 'https://auth.example.com/x', userCode: undefined, isOpen: false };

describe('renderSignInLink', () => {
  it('has the link on its own line, and instructions for another machine', () => {
    expect(renderSignInLink(LINK)).toBe(
      [
        'Open this page to sign in to docs:',
        '',
        '  https://auth.example.com/x',
        '',
        'If your browser is on another machine, it cannot open the last page. Then copy the URL of that page and paste it here,',
        'or run: pincer login docs --code URL',
        '',
      ].join('\n'),
    );
    expect(renderSignInLink({ ...LINK, isOpen: true })).toContain(
      'Your browser opens the page to sign in to docs.',
    );
  });

  it('has the code to type', () => {
    const text = renderSignInLink({ ...LINK, userCode: 'ABCD-EFGH' });
    expect(text).toContain('Type this code there: ABCD-EFGH');
    expect(text).not.toContain('--code');
  });
});

describe('renderSignedIn', () => {
  const facts = {
    issuer: 'https://auth.example.com',
    scopes: ['a', 'b\u001b[2J'],
    isRenewable: true,
    tools: 2,
    problem: undefined,
  };

  it('shows issuer, scopes and expiry', () => {
    verifies('004-9.3-report');
    expect(renderSignedIn('docs', { ...facts, expiresAt: 3_600_000 }, PLAIN, 0)).toBe(
      '✓ Signed in to docs, at https://auth.example.com. It is renewed automatically.\n  scopes: a b\\u001b[2J\n  2 tools\n',
    );
    expect(
      renderSignedIn('docs', { ...facts, scopes: [], isRenewable: false, expiresAt: 3_600_000 }, PLAIN, 0),
    ).toBe('✓ Signed in to docs, at https://auth.example.com. It expires in 1 h.\n  2 tools\n');
  });

  it('shows an error of the server after the sign-in', () => {
    const problem = new PincerError('SERVER_UNREACHABLE', 'No answer.');
    expect(renderSignedIn('docs', { ...facts, tools: undefined, problem }, PLAIN, 0)).toContain(
      'but: No answer.',
    );
  });
});

it('renderSignedOut says whether the sign-in was revoked', () => {
  const report = { server: 'docs', wasSignedIn: true, wasRevoked: true };
  expect(renderSignedOut(report)).toBe('Signed out of docs. The sign-in was revoked.\n');
  expect(renderSignedOut({ ...report, wasRevoked: false })).toContain('could not be revoked');
  expect(renderSignedOut({ ...report, wasSignedIn: false })).toBe('You were not signed in to docs.\n');
});
