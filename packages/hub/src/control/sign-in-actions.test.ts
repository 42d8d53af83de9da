import { describe, expect, it } from 'vitest';
import { NO_CLIENT } from '../../../../test/kit/control.ts';
import { PincerError } from '../core/errors.ts';
import { signInActions, type SignInEnd } from './sign-in-actions.ts';

const SIGNED_IN = { issuer: 'https://auth.example.com', scopes: ['a'], isRenewable: true };

function bench() {
  const recorded: unknown[] = [];
  const end = Promise.withResolvers<SignInEnd>();
  const actions = signInActions(
    {
      async begin(server, options) {
        recorded.push(['begin', server, options]);
        return {
          link: 'https://auth.example.com/x',
          state: 's',
          hasOpenedBrowser: false,
          ended: end.promise,
        };
      },
      async complete(server, code, caller) {
        recorded.push(['complete', server, code, caller]);
        return SIGNED_IN;
      },
      cancel: (server, caller) => void recorded.push(['cancel', server, caller]),
      async signOut(server, caller) {
        recorded.push(['signOut', server, caller]);
        return { wasSignedIn: true, wasRevoked: false };
      },
    },
    { find: (name) => (name === 'laptop' ? { id: 'id-of-laptop', name, scopes: {} } : undefined) },
  );
  const ask = async (action: keyof typeof actions, body: object): Promise<unknown> =>
    actions[action]({ query: new URLSearchParams(), body, ...NO_CLIENT });
  return { ask, recorded, end };
}

describe('sign-in actions', () => {
  it('return the link at once, and the result to a client that waits', async () => {
    const { ask, recorded, end } = bench();
    expect(await ask('POST sign-in', { server: 'docs', openBrowser: true, scopes: ['a'] })).toEqual({
      server: 'docs',
      link: 'https://auth.example.com/x',
      state: 's',
      hasOpenedBrowser: false,
    });
    expect(recorded).toEqual([['begin', 'docs', { caller: 'local', openBrowser: true, scopes: ['a'] }]]);
    expect(await ask('POST sign-in/wait', { state: 's', waitMs: 0 })).toEqual({ isUnderWay: true });
    const waiting = ask('POST sign-in/wait', { state: 's' });
    end.resolve({ ok: true, signedIn: SIGNED_IN });
    expect(await waiting).toEqual({ isUnderWay: false, signedIn: SIGNED_IN });
    expect(await ask('POST sign-in/wait', { state: 'unknown', waitMs: 0 })).toEqual({ isUnderWay: false });
  });

  it('fail with the error of the sign-in', async () => {
    const { ask, end } = bench();
    await ask('POST sign-in', { server: 'docs' });
    const error = new PincerError('SIGN_IN_FAILED', 'No.');
    end.resolve({ ok: false, error });
    await expect(ask('POST sign-in/wait', { state: 's' })).rejects.toBe(error);
  });

  it('find tokens by name', async () => {
    const { ask, recorded } = bench();
    await ask('POST sign-in/code', { server: 'docs', code: 'c', caller: 'laptop' });
    await ask('POST sign-out', { server: 'docs' });
    expect(recorded).toEqual([
      ['complete', 'docs', 'c', 'id-of-laptop'],
      ['signOut', 'docs', 'local'],
    ]);
    await expect(ask('POST sign-in', { server: 'docs', caller: 'unknown' })).rejects.toMatchObject({
      code: 'USAGE',
    });
  });

  it('refuse unknown fields', async () => {
    const { ask, recorded } = bench();
    await expect(ask('POST sign-in', { server: 'docs', redirect: 'https://x' })).rejects.toThrow();
    await expect(ask('POST sign-in/code', { server: 'docs' })).rejects.toThrow();
    expect(recorded).toEqual([]);
  });
});
