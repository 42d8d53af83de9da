import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeCertificate } from '../../../../test/kit/certificate.ts';
import { temporaryFolder } from '../../../../test/kit/temporary-folder.ts';
import { readFingerprint } from '../core/fingerprint.ts';
import { agentGateway, configuredText, findGateway } from './find.ts';
import { shownAddress } from './refusal.ts';

const local = { gateway: { port: 19_000, auth: { mode: 'token', token: 'of the file' } } };

const remoteWith = (tlsFingerprint: string): object => ({
  gateway: { mode: 'remote', remote: { url: 'wss://far.example', tlsFingerprint } },
});

describe('findGateway', () => {
  it('returns the default port if nothing is configured', () => {
    expect(findGateway({ env: {} })).toEqual({
      url: 'ws://127.0.0.1:18789',
      credential: undefined,
      how: 'the default port, because there is no openclaw.json',
      isGuess: true,
    });
  });

  it.each([
    [{}, local, 'ws://127.0.0.1:19000', { token: 'of the file' }],
    [{ OPENCLAW_GATEWAY_PORT: '7' }, local, 'ws://127.0.0.1:7', { token: 'of the file' }],
    [{ OPENCLAW_GATEWAY_PORT: '127.0.0.1:8' }, local, 'ws://127.0.0.1:8', { token: 'of the file' }],
    [{ OPENCLAW_GATEWAY_PORT: '[::1]:9' }, local, 'ws://127.0.0.1:9', { token: 'of the file' }],
    [{ OPENCLAW_GATEWAY_PORT: ' ' }, local, 'ws://127.0.0.1:19000', { token: 'of the file' }],
    [{ OPENCLAW_GATEWAY_TOKEN: 'of env' }, { gateway: {} }, 'ws://127.0.0.1:18789', { token: 'of env' }],
    [{ OPENCLAW_GATEWAY_TOKEN: 'of env' }, local, 'ws://127.0.0.1:19000', { token: 'of the file' }],
    [{ T: 'of T' }, { gateway: { auth: { token: '${T}' } } }, 'ws://127.0.0.1:18789', { token: 'of T' }],
    [
      {},
      { gateway: { auth: { mode: 'password', token: 't', password: 'p' } } },
      'ws://127.0.0.1:18789',
      { password: 'p' },
    ],
    [{}, { gateway: { auth: { mode: 'none', token: 't' } } }, 'ws://127.0.0.1:18789', undefined],
    [
      {},
      { gateway: { tls: { enabled: true }, auth: { token: 't' } } },
      'wss://127.0.0.1:18789',
      { token: 't' },
    ],
    [
      {},
      { gateway: { mode: 'remote', remote: { url: 'wss://far.example/', token: 'r' } } },
      'wss://far.example',
      { token: 'r' },
    ],
    [
      {},
      { gateway: { mode: 'remote', remote: { url: 'ws://10.0.0.2:1', password: 'r' } } },
      'ws://10.0.0.2:1',
      { password: 'r' },
    ],
    [
      { OPENCLAW_GATEWAY_URL: 'wss://far.example', OPENCLAW_GATEWAY_TOKEN: 'of env' },
      local,
      'wss://far.example',
      { token: 'of env' },
    ],
  ])('finds it in the same way as OpenClaw: %j, %j', (env, config, url, credential) => {
    expect(findGateway({ env, config })).toMatchObject({ url, credential });
  });

  it.each([
    ['ws://10.evil.example', false],
    ['ws://192.168.1.evil.example', false],
    ['ws://[2606:4700::1111]', false],
    ['ws://8.8.8.8', false],
    ['ws://[fc::1]', false],
    ['ws://[fe8::1]', false],
    ['ws://evil.local.example', false],
    ['ws://10.0.0.7:18789', true],
    ['ws://172.16.3.4', true],
    ['ws://100.100.1.1', true],
    ['ws://[fd00::7]', true],
    ['ws://[::1]:18789', true],
    ['ws://nas', true],
    ['ws://mac.local', true],
    ['wss://far.example', true],
  ])('accepts %s: %s', (gatewayUrl, isTaken) => {
    expect('url' in findGateway({ env: {}, gatewayUrl: agentGateway(gatewayUrl) })).toBe(isTaken);
  });

  it("accepts the URL of OpenClaw's web page", () => {
    const gatewayUrl = 'http://127.0.0.1:18789/#token=abc';
    expect(findGateway({ env: {}, gatewayUrl: agentGateway(gatewayUrl) })).toMatchObject({
      url: 'ws://127.0.0.1:18789',
    });
  });

  it('sends no secret to a gateway that it was not configured for', () => {
    const found = findGateway({ env: {}, config: local, gatewayUrl: agentGateway('wss://far.example') });
    expect(found).toEqual({
      url: 'wss://far.example',
      credential: undefined,
      how: 'agent.gatewayUrl',
      isNamed: true,
    });
  });

  it('sends the secret to its own gateway if that is named by URL', () => {
    const found = findGateway({
      env: {},
      config: local,
      gatewayUrl: agentGateway('http://127.0.0.1:19000/'),
    });
    expect(found).toMatchObject({ credential: { token: 'of the file' }, how: 'agent.gatewayUrl' });
  });

  it.each([
    [{ gatewayUrl: agentGateway('far.example') }, 'agent.gatewayUrl is not a gateway URL'],
    [{ gatewayUrl: agentGateway('ws://far.example') }, 'use wss://'],
    [{ gatewayUrl: agentGateway('wss://a:b@far.example') }, 'not a gateway URL'],
    [{ config: { gateway: { mode: 'remote' } } }, 'gateway.remote.url'],
    [{ config: { gateway: { auth: { token: '${ABSENT}' } } } }, 'ABSENT'],
    [{ config: { gateway: { auth: { token: { source: 'file', id: '/x' } } } } }, 'only OpenClaw can read'],
  ])('returns a reason for %j', (where, reason) => {
    expect(findGateway({ env: {}, ...where })).toEqual({ reason: expect.stringContaining(reason) });
  });

  it.each(['-1', '0', '80.5', '1e9', '65536', 'x', 'a:b'])('refuses the port %s', (port) => {
    const reason = expect.stringMatching(/^OPENCLAW_GATEWAY_PORT is not a port/);
    expect(findGateway({ env: { OPENCLAW_GATEWAY_PORT: port } })).toEqual({ reason });
  });

  it.each([0, -1, 1.5, 65_536, 'x', {}])('refuses the port %j of openclaw.json', (port) => {
    const reason = expect.stringMatching(/^gateway.port of openclaw.json is not a port/);
    expect(findGateway({ env: {}, config: { gateway: { port } } })).toEqual({ reason });
  });

  it.each([
    ['ws://h:1', 'ws://h:1'],
    ['wss://h/a/b?token=secret', 'wss://h/a/b'],
    ['ws://127.0.0.1:1/?token=secret', 'ws://127.0.0.1:1'],
  ])('hides possible secrets of a URL: %s', (url, shown) => {
    expect(shownAddress(url)).toBe(shown);
  });

  it('uses the certificate of OpenClaw, or the configured fingerprint', () => {
    using folder = temporaryFolder('find');
    const { cert, fingerprint } = makeCertificate();
    const env = { OPENCLAW_STATE_DIR: folder.path };
    const pin = readFingerprint(fingerprint);
    const config = { gateway: { tls: { enabled: true } } };
    expect(findGateway({ env, config })).not.toHaveProperty('fingerprint', expect.anything());
    mkdirSync(join(folder.path, 'gateway', 'tls'), { recursive: true });
    writeFileSync(join(folder.path, 'gateway', 'tls', 'gateway-cert.pem'), cert);
    writeFileSync(join(folder.path, 'own.pem'), cert);
    expect(findGateway({ env, config })).toMatchObject({ url: 'wss://127.0.0.1:18789', fingerprint: pin });
    const elsewhere = { gateway: { tls: { enabled: true, certPath: '~/own.pem' } } };
    expect(findGateway({ env: { HOME: folder.path }, config: elsewhere })).toMatchObject({
      fingerprint: pin,
    });
    expect(findGateway({ env: {}, config: remoteWith(fingerprint) })).toMatchObject({ fingerprint: pin });
    const named = { env, config, fingerprint: 'ab'.repeat(32) };
    expect(findGateway(named)).toMatchObject({ fingerprint: 'ab'.repeat(32) });
  });

  it('refuses an invalid fingerprint', () => {
    expect(findGateway({ env: {}, config: remoteWith('ab:cd') })).toEqual({
      reason: expect.stringContaining('gateway.remote.tlsFingerprint'),
    });
    expect(findGateway({ env: {}, gatewayUrl: agentGateway('wss://a'), fingerprint: '' })).toEqual({
      reason: expect.stringContaining('device.gatewayFingerprint'),
    });
  });

  it('never shows the secret in `how`', () => {
    const found = findGateway({ env: {}, config: local });
    expect('how' in found && found.how).toBe('gateway.port of openclaw.json');
  });
});

describe('configuredText', () => {
  const env = { TOKEN: 'secret', EMPTY: '' };

  it.each([
    ['plain', { text: 'plain' }],
    ['${TOKEN}', { text: 'secret' }],
    ['a-${TOKEN}-b', { text: 'a-secret-b' }],
    ['$${TOKEN}', { text: '${TOKEN}' }],
    ['$TOKEN ${lower}', { text: '$TOKEN ${lower}' }],
    ['', undefined],
    [undefined, undefined],
    [{ source: 'env', provider: 'default', id: 'TOKEN' }, { text: 'secret' }],
  ])('%j is %j', (value, expected) => {
    expect(configuredText(value, env)).toEqual(expected);
  });

  it.each(['${ABSENT}', '${EMPTY}', { source: 'env', id: 'ABSENT' }])(
    'names a missing variable: %j',
    (value) => {
      expect(configuredText(value, env)).toEqual({ missing: expect.stringMatching(/ABSENT|EMPTY/) });
    },
  );

  it('does not read a secret that only OpenClaw can read', () => {
    expect(configuredText({ source: 'exec', id: 'x' }, env)).toEqual({
      missing: expect.stringContaining('exec'),
    });
  });
});
