/** A node whose gateway has a self-signed certificate. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeCertificate } from '../kit/certificate.ts';
import { openCliHome, type CliHome, type Ran } from '../kit/cli.ts';
import { responseText } from '../kit/openclaw/gateway-texts.ts';
import { openHandGateway, type HandGateway } from '../kit/openclaw/fake-gateway.ts';

const certificate = makeCertificate();
let gateway: HandGateway;
let home: CliHome;
beforeEach(async () => {
  gateway = await openHandGateway(
    (id) => [
      responseText(id, { server: { version: 'x' }, auth: { deviceToken: 'of the device' }, policy: {} }),
    ],
    // Accepts every command.
    ({ id, params }) => [responseText(id, params)],
    certificate,
  );
  home = openCliHome();
  home.configure({}, { proxy: { enabled: false }, device: { port: 0 } });
});
afterEach(async () => {
  await home[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
});

const pair = (...args: string[]): Promise<Ran> =>
  home.start(['node', 'pair', '--wait', '20', ...args], { env: { PINCER_DEVICE: 'on', HOME: home.path } })
    .ended;

const code = (more: object): string =>
  Buffer.from(JSON.stringify({ url: gateway.url, bootstrapToken: 'once', ...more })).toString('base64url');

const connections = (): object[] =>
  gateway.requests.flatMap(({ method, params }) => (method === 'connect' ? [params] : []));

it('sends nothing if the certificate was not named, or is another one', async () => {
  const unnamed = await pair('--setup-code', code({}));
  expect([unnamed.code, unnamed.stderr]).toEqual([4, expect.stringContaining('--tls-fingerprint')]);
  const other = await pair('--setup-code', code({ tlsFingerprint: makeCertificate().fingerprint }));
  expect([other.code, other.stderr]).toEqual([4, expect.stringContaining('another certificate')]);
  expect(gateway.requests).toEqual([]);
});

it('pairs with a setup code that names the certificate, which the hub remembers', async () => {
  const { code: exit, stderr } = await pair(
    '--setup-code',
    code({ tlsFingerprint: certificate.fingerprint }),
  );
  expect(exit, stderr).toBe(0);
  const [first, ...others] = connections();
  expect(first).toMatchObject({ commands: [], auth: { bootstrapToken: 'once' } });
  // The hub may have connected by itself before it was told to reconnect.
  expect(others.length).toBeGreaterThan(0);
  for (const each of others) expect(each).toMatchObject({ auth: { deviceToken: 'of the device' } });
  const written = JSON.parse(readFileSync(join(home.path, 'config.json'), 'utf8')) as unknown;
  expect(written).toMatchObject({
    device: {
      nodeMode: true,
      gatewayUrl: gateway.url,
      gatewayFingerprint: certificate.fingerprint.replaceAll(':', '').toLowerCase(),
    },
  });
});
