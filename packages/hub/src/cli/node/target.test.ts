import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/kit/temporary-folder.ts';
import { readPairTarget } from './target.ts';

const code = (url: string, more: object = {}): string =>
  Buffer.from(JSON.stringify({ url, bootstrapToken: 'once', ...more })).toString('base64url');

describe('the gateway to pair with', () => {
  it('is the configured one by default', () => {
    expect(readPairTarget({})).toEqual({ url: undefined });
  });

  it('comes from a setup code, together with its bootstrap token', () => {
    expect(readPairTarget({ setupCode: code('wss://a') })).toEqual({
      url: 'wss://a',
      credential: { bootstrapToken: 'once' },
    });
  });

  it('has the fingerprint of the setup code, which --tls-fingerprint overrides', () => {
    const pin = 'ab'.repeat(32);
    const setupCode = code('wss://a', { tlsFingerprint: `sha256:${pin}` });
    expect(readPairTarget({ setupCode })).toMatchObject({ url: 'wss://a', fingerprint: pin });
    const other = 'CD:'.repeat(31) + 'CD';
    // As openssl prints it.
    const tlsFingerprint = `sha256 Fingerprint=${other}`;
    expect(readPairTarget({ setupCode, tlsFingerprint })).toMatchObject({ fingerprint: 'cd'.repeat(32) });
    expect(readPairTarget({ url: 'wss://b', tlsFingerprint: other })).toMatchObject({
      url: 'wss://b',
      fingerprint: 'cd'.repeat(32),
    });
    expect(() => readPairTarget({ url: 'wss://b', tlsFingerprint: 'abc' })).toThrow(
      'not a SHA-256 fingerprint',
    );
    expect(() => readPairTarget({ setupCode: code('wss://a', { tlsFingerprint: 'abc' }) })).toThrow(
      'not a setup code',
    );
  });

  it('comes from --url, with the token in --token-file', () => {
    using folder = temporaryFolder('pair');
    const tokenFile = join(folder.path, 'token');
    writeFileSync(tokenFile, ' secret\n');
    expect(readPairTarget({ url: 'https://a/', tokenFile })).toEqual({
      url: 'wss://a',
      credential: { token: 'secret' },
    });
    expect(() => readPairTarget({ tokenFile })).toThrow('--token-file needs --url');
    writeFileSync(tokenFile, '\n');
    expect(() => readPairTarget({ url: 'wss://a', tokenFile })).toThrow('empty');
    expect(() => readPairTarget({ url: 'wss://a', tokenFile: join(folder.path, 'none') })).toThrow(
      'cannot be read',
    );
  });

  it.each([{ url: 'ws://192.168.0.2:18789' }, { setupCode: code('ws://box.local') }])(
    'is never used without encryption beyond this machine: %j',
    (flags) => expect(() => readPairTarget(flags)).toThrow('not encrypted'),
  );

  it('must have a WebSocket URL', () => {
    expect(() => readPairTarget({ url: 'ftp://a' })).toThrow('not the URL');
  });
});
