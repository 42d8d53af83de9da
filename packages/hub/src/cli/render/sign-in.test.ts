import { describe, expect, it } from 'vitest';
import { PincerError } from '../../core/errors.ts';
import { PLAIN } from '../terminal/style.ts';
import { renderSignedIn, renderSignedOut, renderSignInLink } from './sign-in.ts';
import { verifies } from '../../../../../test/verifies.ts';

const LINK = { name: 'docs', link: 'https://auth.example.com/x', userCode: undefined, isOpen: false };

describe('renderSignInLink', () => {
  it('has the link on a line of its own, and what to do elsewhere', () => {
    expect(renderSignInLink(LINK)).toBe(
      [
        'Open this page to sign in to docs:',
        '',
        '  https://auth.example.com/x',
        '',
        'If the browser is on another machine, its last page cannot be reached. Copy its address then, and paste it here,',
        'or run: pincer login docs --code ADDRESS',
        '',
      ].join('\n'),
    );
    expect(renderSignInLink({ ...LINK, isOpen: true })).toContain('Your browser opens to sign in to docs.');
  });

  it('has the code to type, where there is one', () => {
    const text = renderSignInLink({ ...LINK, userCode: 'ABCD-EFGH' });
    expect(text).toContain('The code to type there: ABCD-EFGH');
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

  it('says where, for what and how long', () => {
    verifies('004-9.3-report');
    expect(renderSignedIn('docs', { ...facts, expiresAt: 3_600_000 }, PLAIN, 0)).toBe(
      '✓ Signed in to docs, at https://auth.example.com. It is renewed by itself.\n  rights: a b\\u001b[2J\n  2 tools\n',
    );
    expect(
      renderSignedIn('docs', { ...facts, scopes: [], isRenewable: false, expiresAt: 3_600_000 }, PLAIN, 0),
    ).toBe('✓ Signed in to docs, at https://auth.example.com. It ends in 1 h.\n  2 tools\n');
  });

  it('says when the server cannot be used all the same', () => {
    const problem = new PincerError('SERVER_UNREACHABLE', 'Nobody is there.');
    expect(renderSignedIn('docs', { ...facts, tools: undefined, problem }, PLAIN, 0)).toContain(
      'but: Nobody is there.',
    );
  });
});

it('renderSignedOut says whether both sides know', () => {
  const report = { server: 'docs', wasSignedIn: true, wasRevoked: true };
  expect(renderSignedOut(report)).toBe('Signed out of docs, here and there.\n');
  expect(renderSignedOut({ ...report, wasRevoked: false })).toContain('could not be told');
  expect(renderSignedOut({ ...report, wasSignedIn: false })).toBe('Nobody was signed in to docs.\n');
});
