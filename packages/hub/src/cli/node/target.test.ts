import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/kit/temporary-folder.ts';
import { readPairTarget } from './target.ts';

const code = (url: string): string =>
  Buffer.from(JSON.stringify({ url, bootstrapToken: 'once' })).toString('base64url');

describe('the gateway to pair with', () => {
  it('is the configured one where nothing is said', () => {
    expect(readPairTarget({})).toEqual({ url: undefined });
  });

  it('is what a setup code says, with what lets one in', () => {
    expect(readPairTarget({ setupCode: code('wss://a') })).toEqual({
      url: 'wss://a',
      pass: { bootstrapToken: 'once' },
    });
  });

  it('is an address, with the token that a file holds', () => {
    using folder = temporaryFolder('pair');
    const tokenFile = join(folder.path, 'token');
    writeFileSync(tokenFile, ' secret\n');
    expect(readPairTarget({ url: 'https://a/', tokenFile })).toEqual({
      url: 'wss://a',
      pass: { token: 'secret' },
    });
    expect(() => readPairTarget({ tokenFile })).toThrow('for one gateway');
    writeFileSync(tokenFile, '\n');
    expect(() => readPairTarget({ url: 'wss://a', tokenFile })).toThrow('empty');
    expect(() => readPairTarget({ url: 'wss://a', tokenFile: join(folder.path, 'none') })).toThrow(
      'cannot be read',
    );
  });

  it.each([{ url: 'ws://192.168.0.2:18789' }, { setupCode: code('ws://box.local') }])(
    'is never spoken to in clear text beyond this machine: %j',
    (flags) => expect(() => readPairTarget(flags)).toThrow('clear text'),
  );

  it('has an address that a gateway can have', () => {
    expect(() => readPairTarget({ url: 'ftp://a' })).toThrow('no address');
  });
});
