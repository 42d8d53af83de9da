import { spawn } from 'node:child_process';
import { createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clientPlatform } from '../openclaw/handshake.ts';
import { connectParams, OPERATOR } from '../openclaw/handshake.ts';
import { openIdentity } from './device-identity.ts';

describe('the identity of a state folder', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'pincer-identity-'));
  });
  afterEach(() => rmSync(home, { recursive: true }));

  it('is created once and readable only by its owner', () => {
    const first = openIdentity(home);
    expect(openIdentity(home).id).toBe(first.id);
    expect(statSync(join(home, 'device-key-ed25519.json')).mode & 0o777).toBe(0o600);
  });

  it('is the same for processes that open it at the same moment', async () => {
    const script = `
      import { openIdentity } from ${JSON.stringify(new URL('device-identity.ts', import.meta.url).href)};
      process.stdin.once('data', () => {
        for (let round = 0; round < 20; round++) console.log(openIdentity(process.argv[1] + '/' + round).id);
      });
      console.error('ready');`;
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', script, home]),
    );
    await Promise.all(children.map((child) => once(child.stderr, 'data')));
    const outputs = children.map(async (child) => {
      child.stdin.end('go');
      return text(child.stdout);
    });
    const [first, ...others] = await Promise.all(outputs);
    expect(first!.trim().split('\n')).toHaveLength(20);
    expect(others).toEqual([first, first, first]);
  });

  it('stores and removes the token of each gateway', () => {
    openIdentity(home).keepToken('ws://a', 'one');
    openIdentity(home).keepToken('ws://b', 'two');
    const again = openIdentity(home);
    expect([again.tokenFor('ws://a'), again.tokenFor('ws://b'), again.tokenFor('ws://c')]).toEqual([
      'one',
      'two',
      undefined,
    ]);
    again.keepToken('ws://a', undefined);
    expect(openIdentity(home).tokenFor('ws://a')).toBeUndefined();
    expect(openIdentity(home).id).toBe(again.id);
    expect(readdirSync(home)).toEqual(['device-key-ed25519.json']);
    expect(statSync(join(home, 'device-key-ed25519.json')).mode & 0o777).toBe(0o600);
  });

  it('keeps node tokens separate from operator tokens', () => {
    openIdentity(home).keepToken('ws://a', 'operator');
    openIdentity(home).keepToken('ws://a', 'node', 'node');
    expect([openIdentity(home).tokenFor('ws://a'), openIdentity(home).tokenFor('ws://a', 'node')]).toEqual([
      'operator',
      'node',
    ]);
    openIdentity(home).keepToken('ws://a', undefined);
    expect([openIdentity(home).tokenFor('ws://a'), openIdentity(home).tokenFor('ws://a', 'node')]).toEqual([
      undefined,
      'node',
    ]);
  });

  it('throws TOKEN_UNREADABLE if the file cannot be read', () => {
    writeFileSync(join(home, 'device-key-ed25519.json'), '{');
    expect(() => openIdentity(home)).toThrow(expect.objectContaining({ code: 'TOKEN_UNREADABLE' }));
  });

  it.each(['null', '[]', '{"privateKey":7}'])('throws TOKEN_UNREADABLE for invalid content: %s', (text) => {
    writeFileSync(join(home, 'device-key-ed25519.json'), text);
    expect(() => openIdentity(home)).toThrow(expect.objectContaining({ code: 'TOKEN_UNREADABLE' }));
  });

  it('names the folder if the key cannot be written', () => {
    const nowhere = join(home, 'nowhere');
    symlinkSync(join(home, 'gone', 'gone'), nowhere);
    expect(() => openIdentity(nowhere)).toThrow(
      expect.objectContaining({ code: 'TOKEN_UNREADABLE', hint: expect.stringContaining(nowhere) }),
    );
  });

  it.each([
    [{ token: 't' }, 't'],
    [{ deviceToken: 'd' }, 'd'],
    [{ password: 'p' }, ''],
    [undefined, ''],
  ])('signs the handshake: %j', (auth, token) => {
    const identity = openIdentity(home);
    const purpose = { ...OPERATOR, scopes: ['operator.read', 'operator.write'], caps: [] };
    const { platform, deviceFamily = '' } = clientPlatform(process.platform);
    const { device } = connectParams({ nonce: 'n', ts: 5 }, identity, auth, purpose) as {
      device: { signature: string };
    };
    const der = Buffer.concat([
      Buffer.from('302a300506032b6570032100', 'hex'),
      Buffer.from(identity.publicKey, 'base64url'),
    ]);
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    const text = `v3|${identity.id}|gateway-client|backend|operator|operator.read,operator.write|5|${token}|n|${platform}|${deviceFamily.toLowerCase()}`;
    expect(verify(null, Buffer.from(text), key, Buffer.from(device.signature, 'base64url'))).toBe(true);
  });
});
