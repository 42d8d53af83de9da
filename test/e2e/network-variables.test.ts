/**
 * Servers reach their services and packages behind a proxy or with a company's certificate. A proxy's password is
 * never shown.
 */
import { expect, it } from 'vitest';
import { startHub } from '../kit/hub.ts';
import { eventually } from '../kit/processes.ts';
import { serverStatus } from '../kit/status.ts';
import { stdioServer } from '../kit/servers.ts';

const ENV = {
  NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/ca-certificates.crt',
  SSL_CERT_FILE: '/etc/ssl/certs/ca-certificates.crt',
  REQUESTS_CA_BUNDLE: '/etc/ssl/certs/ca-certificates.crt',
  HTTPS_PROXY: 'http://me:hunter2@127.0.0.1:1',
  https_proxy: 'http://me:hunter2@127.0.0.1:1',
  NO_PROXY: '127.0.0.1',
  UV_DEFAULT_INDEX: 'https://pypi.example/simple',
  PIP_INDEX_URL: 'https://pypi.example/simple',
  NPM_CONFIG_REGISTRY: 'https://npm.example/',
};

it('passes certificates, proxies and registries to servers, and shows no password', async () => {
  const complain = `console.error('cannot reach ' + process.env.HTTPS_PROXY); process.exit(1)`;
  const chatter = `console.log('using ' + process.env.HTTPS_PROXY); process.stdin.resume()`;
  await using hub = await startHub({
    servers: {
      fixture: stdioServer(),
      complains: { command: process.execPath, args: ['-e', complain] },
      chatters: { command: process.execPath, args: ['-e', chatter] },
    },
    config: { debug: true },
    env: ENV,
    ready: false,
  });
  expect(await eventually(async () => (await serverStatus(hub, 'fixture')).state === 'ready')).toBe(true);
  const seen = JSON.stringify(await hub.call('fixture__env'));
  for (const name of Object.keys(ENV)) expect(seen).toContain(`\\"${name}\\"`);
  const complained = async (): Promise<boolean> =>
    (await serverStatus(hub, 'complains')).stderr.includes('cannot reach http://[redacted]@127.0.0.1:1');
  expect(await eventually(complained)).toBe(true);
  expect(await eventually(() => hub.stderr().includes('a line that is not a message'))).toBe(true);
  const status = await hub.control('GET', 'status');
  expect(JSON.stringify(status.value) + hub.stderr()).not.toContain('hunter2');
});
