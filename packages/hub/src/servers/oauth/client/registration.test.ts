import { describe, expect, it } from 'vitest';
import { methodGiven, methodToRegister, methodWithSecret } from './registration.ts';

describe('how a client proves itself', () => {
  it('with a secret is as the authorization server likes it, HTTP Basic where it says nothing', () => {
    expect(methodWithSecret(undefined)).toBe('client_secret_basic');
    expect(methodWithSecret(['client_secret_post', 'client_secret_basic'])).toBe('client_secret_basic');
    expect(methodWithSecret(['client_secret_post'])).toBe('client_secret_post');
  });

  it('is registered without a secret where that is let pass', () => {
    expect(methodToRegister(undefined)).toBe('none');
    expect(methodToRegister(['client_secret_basic', 'none'])).toBe('none');
    expect(methodToRegister(['client_secret_post'])).toBe('client_secret_post');
  });

  it('is what it was given, as far as that can be', () => {
    expect(methodGiven('client_secret_post', 's', undefined)).toBe('client_secret_post');
    expect(methodGiven('none', undefined, undefined)).toBe('none');
    expect(methodGiven('client_secret_basic', undefined, undefined)).toBe('none');
    expect(methodGiven(undefined, 's', ['client_secret_post'])).toBe('client_secret_post');
    expect(methodGiven('none', 's', ['none'])).toBe('none');
    expect(methodGiven('none', 's', ['client_secret_post'])).toBe('client_secret_post');
    expect(methodGiven('tls_client_auth', 's', undefined)).toBe('client_secret_basic');
  });
});
