import { describe, expect, it } from 'vitest';
import { readSetupCode } from './setup-code.ts';

const codeOf = (payload: unknown): string => Buffer.from(JSON.stringify(payload)).toString('base64url');
const payload = { url: 'wss://gateway.example', bootstrapToken: 'once', expiresAtMs: 100 };

describe('setup code', () => {
  it('has the URL and the token, with or without its prefix', () => {
    const expected = { url: 'wss://gateway.example', bootstrapToken: 'once' };
    expect(readSetupCode(codeOf(payload), 99)).toEqual(expected);
    expect(readSetupCode(` OC-PAIR://${codeOf(payload)}\n`, 99)).toEqual(expected);
  });

  it('expires', () => {
    expect(() => readSetupCode(codeOf(payload), 100)).toThrow('expired');
    expect(readSetupCode(codeOf({ ...payload, expiresAtMs: undefined }), 1e15)).toBeDefined();
  });

  it.each([
    '',
    'abc',
    codeOf([]),
    codeOf({ url: 'wss://a' }),
    codeOf({ bootstrapToken: 'x' }),
    codeOf({ ...payload, url: 'ftp://a' }),
    codeOf({ ...payload, url: 'wss://user:pass@a' }),
  ])('%j is refused', (text) => expect(() => readSetupCode(text, 0)).toThrow('not a setup code'));
});
