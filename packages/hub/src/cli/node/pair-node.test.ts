import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/kit/temporary-folder.ts';
import { nodeAddress } from './pair-node.ts';

const PIN = 'ab'.repeat(32);
const OTHER = 'cd'.repeat(32);

it('uses the named gateway, or else the configured one, each with its own certificate', () => {
  using folder = temporaryFolder('node-address');
  const env = { HOME: folder.path, PINCER_HOME: folder.path };
  const at = (target: Parameters<typeof nodeAddress>[0]): object => nodeAddress(target, folder.path, env);
  expect(at({ url: undefined })).toMatchObject({ url: 'ws://127.0.0.1:18789' });
  const write = (config: object): void =>
    writeFileSync(join(folder.path, 'config.json'), JSON.stringify(config));
  write({ agent: { gatewayUrl: 'wss://orders' } });
  expect(at({ url: undefined })).toMatchObject({ url: 'wss://orders' });
  write({
    agent: { gatewayUrl: 'wss://orders' },
    device: { gatewayUrl: 'wss://node', gatewayFingerprint: `sha256:${PIN}` },
  });
  expect(at({ url: undefined })).toMatchObject({ url: 'wss://node', fingerprint: PIN });
  expect(at({ url: undefined, fingerprint: OTHER })).toMatchObject({ url: 'wss://node', fingerprint: OTHER });
  expect(at({ url: 'wss://new' })).toMatchObject({ url: 'wss://new' });
  expect(at({ url: 'wss://new' })).not.toHaveProperty('fingerprint');
});

it('names the setting that contains an invalid URL', () => {
  using folder = temporaryFolder('node-address');
  const env = { HOME: folder.path, PINCER_HOME: folder.path };
  const reasonOf = (config: object): object => {
    writeFileSync(join(folder.path, 'config.json'), JSON.stringify(config));
    return nodeAddress({ url: undefined }, folder.path, env);
  };
  expect(reasonOf({ device: { gatewayUrl: 'node' }, agent: { gatewayUrl: 'wss://orders' } })).toEqual({
    reason: expect.stringMatching(/^device\.gatewayUrl is not a gateway URL/),
  });
  expect(reasonOf({ agent: { gatewayUrl: 'orders' } })).toEqual({
    reason: expect.stringMatching(/^agent\.gatewayUrl is not a gateway URL/),
  });
});
