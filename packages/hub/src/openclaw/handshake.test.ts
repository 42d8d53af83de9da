import { createPublicKey, verify } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/kit/temporary-folder.ts';
import { openIdentity } from '../owner/device-identity.ts';
import { clientPlatform, connectParams, readChallenge, readHello, type Purpose } from './handshake.ts';

const USUAL = { maxPayload: 26_214_400, tickIntervalMs: 30_000 };
const server = { version: 'x' };

describe('readHello', () => {
  it.each([null, undefined, 7, 'hello', [], {}, { server: null }, { server: 'x' }])('refuses %j', (value) => {
    expect(readHello(value)).toBeUndefined();
  });

  it('returns a valid hello', () => {
    const hello = {
      server: { version: 'x', bootId: 'b' },
      auth: { deviceToken: 't' },
      snapshot: { sessionDefaults: { defaultAgentId: 'main' } },
      policy: { maxPayload: 5, tickIntervalMs: 20, attachments: { maxBytes: 1, maxImageBytes: 2 } },
    };
    expect(readHello(hello)).toEqual(hello);
  });

  it.each([
    [{ server: {} }, { server: { version: expect.stringContaining('unknown version') }, auth: {} }],
    [{ server, auth: { deviceToken: 7 } }, { auth: { deviceToken: undefined } }],
    [{ server, snapshot: { sessionDefaults: null } }, { snapshot: undefined }],
    [{ server, policy: { ...USUAL, attachments: { maxBytes: 1 } } }, { policy: { attachments: undefined } }],
  ])('accepts missing parts: %j', (value, read) => {
    expect(readHello(value)).toMatchObject(read);
  });

  it.each([
    undefined,
    null,
    {},
    ...[0, -1, Number.NaN, null, '5', 1e12, Infinity].map((tickIntervalMs) => ({ tickIntervalMs })),
    ...[0, -1, Number.NaN, null, '5', Infinity].map((maxPayload) => ({ maxPayload })),
  ])('replaces invalid limits: %j', (policy) => {
    expect(readHello({ server, policy })?.policy).toEqual(USUAL);
  });
});

describe('readChallenge', () => {
  it.each([null, undefined, {}, { nonce: 'n' }, { nonce: 7, ts: 1 }])('refuses %j', (value) => {
    expect(readChallenge(value)).toBeUndefined();
  });

  it('returns nonce and time', () => {
    expect(readChallenge({ nonce: 'n', ts: 1 })).toEqual({ nonce: 'n', ts: 1 });
  });
});

it('names the machine and its family like OpenClaw', () => {
  expect(clientPlatform('darwin')).toEqual({ platform: 'macos', deviceFamily: 'Mac' });
  expect(clientPlatform('win32')).toEqual({ platform: 'windows', deviceFamily: 'Windows' });
  expect(clientPlatform('linux')).toEqual({ platform: 'linux', deviceFamily: 'Linux' });
  expect(clientPlatform('freebsd')).toEqual({ platform: 'freebsd' });
});

const ED25519_DER = Buffer.from('302a300506032b6570032100', 'hex');

/** Like the node of the plugin: without a device family. */
const NODE: Purpose = {
  role: 'node',
  client: { id: 'node-host', mode: 'node' },
  scopes: [],
  caps: ['mcp'],
  commands: ['mcp.tools.call.v1'],
  machine: { platform: process.platform },
};

interface Params {
  role: string;
  commands: string[];
  auth?: object;
  client: { id: string; mode: string; platform: string };
  device: { id: string; publicKey: string; signature: string; signedAt: number; nonce: string };
}

describe('authentication of a node', () => {
  it('uses a permanent key that only this user can read', () => {
    using folder = temporaryFolder('node-identity');
    const home = join(folder.path, 'mcp');
    const first = openIdentity(home);
    expect(openIdentity(home).id).toBe(first.id);
    expect(statSync(join(home, 'device-key-ed25519.json')).mode & 0o077).toBe(0);
  });

  it('signs everything that it claims, with the nonce of the gateway', () => {
    using folder = temporaryFolder('node-identity');
    const identity = openIdentity(folder.path);
    const params = connectParams({ nonce: 'n', ts: 5 }, identity, { token: 't' }, NODE) as Params;
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

  it('needs no token if the gateway requires none', () => {
    using folder = temporaryFolder('node-identity');
    const params = connectParams({ nonce: 'n', ts: 5 }, openIdentity(folder.path), undefined, NODE) as Params;
    expect(params.auth).toBeUndefined();
  });
});
