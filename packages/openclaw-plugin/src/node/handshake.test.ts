import { createPublicKey, verify } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/kit/temporary-folder.ts';
import { connectParams } from './handshake.ts';
import { openIdentity } from 'pincer/client';

const ED25519_DER = Buffer.from('302a300506032b6570032100', 'hex');

interface Params {
  role: string;
  commands: string[];
  auth?: object;
  client: { id: string; mode: string; platform: string };
  device: { id: string; publicKey: string; signature: string; signedAt: number; nonce: string };
}

describe('the way in which a node shows who it is', () => {
  it('is a key that stays, for this user alone', () => {
    using folder = temporaryFolder('node-identity');
    const home = join(folder.path, 'mcp');
    const first = openIdentity(home);
    expect(openIdentity(home).id).toBe(first.id);
    expect(statSync(join(home, 'device-key-ed25519.json')).mode & 0o077).toBe(0);
  });

  it('is a signature over everything that it claims, with the gateway’s nonce', () => {
    using folder = temporaryFolder('node-identity');
    const identity = openIdentity(folder.path);
    const params = connectParams({ nonce: 'n', ts: 5 }, identity, { token: 't' }) as Params;
    const { client, device, role } = params;
    expect(params).toMatchObject({ role: 'node', commands: ['mcp.tools.call.v1'], auth: { token: 't' } });
    const claims = ['v3', device.id, client.id, client.mode, role, '', 5, 't', 'n', client.platform, ''];
    const raw = Buffer.from(device.publicKey, 'base64url');
    const key = createPublicKey({ key: Buffer.concat([ED25519_DER, raw]), format: 'der', type: 'spki' });
    const isSigned = (text: string): boolean =>
      verify(null, Buffer.from(text), key, Buffer.from(device.signature, 'base64url'));
    expect(isSigned(claims.join('|'))).toBe(true);
    expect(isSigned(claims.join('|').replace('|n|', '|m|'))).toBe(false);
  });

  it('needs no token where the gateway wants none', () => {
    using folder = temporaryFolder('node-identity');
    const params = connectParams({ nonce: 'n', ts: 5 }, openIdentity(folder.path), undefined) as Params;
    expect(params.auth).toBeUndefined();
  });
});
