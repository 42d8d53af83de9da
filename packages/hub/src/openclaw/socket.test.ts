import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../../../test/kit/certificate.ts';
import { responseText, welcomeText } from '../../../../test/kit/openclaw/gateway-texts.ts';
import { openHandGateway, type HandGateway } from '../../../../test/kit/openclaw/fake-gateway.ts';
import { readFingerprint } from '../core/fingerprint.ts';
import { openIdentity } from '../owner/device-identity.ts';
import { OPERATOR } from './handshake.ts';
import { openSocket, requestText, type GatewaySocket } from './socket.ts';

const home = mkdtempSync(join(tmpdir(), 'pincer-socket-'));
afterAll(() => rmSync(home, { recursive: true }));

const open = (url: string, fingerprint?: string): Promise<GatewaySocket> =>
  openSocket(
    { url, credential: undefined, how: 'a test', fingerprint },
    {
      identity: openIdentity(home),
      auth: undefined,
      purpose: { ...OPERATOR, scopes: [], caps: [] },
      ending: new AbortController().signal,
    },
    () => undefined,
  );

describe('openSocket', () => {
  it.each([
    ['sends an empty hello', (id: string) => responseText(id, null)],
    ['sends an invalid hello', (id: string) => responseText(id, { ok: true })],
    ['refuses without a reason', (id: string) => JSON.stringify({ type: 'res', id, ok: false })],
  ])('refuses and closes a server that %s', async (_, welcome) => {
    await using hand = await openHandGateway((id) => [welcome(id)]);
    await expect(open(hand.url)).rejects.toMatchObject({ code: 'SERVER_PROTOCOL' });
    await expect.poll(() => hand.connections.size).toBe(0);
  });

  it('resolves an empty response with an empty object', async () => {
    await using hand = await openHandGateway(
      (id) => [welcomeText(id)],
      ({ id }) => [responseText(id, null)],
    );
    const socket = await open(hand.url);
    expect(await socket.request('any', {})).toEqual({});
    socket.close();
  });

  it('reports a silent server without possible secrets', async () => {
    await expect(open('ws://127.0.0.1:1/?token=secret')).rejects.toMatchObject({
      code: 'SERVER_UNREACHABLE',
      message: expect.stringMatching(/^[^?]*at ws:\/\/127\.0\.0\.1:1: [^?]*[^.]\.$/),
    });
  });
});

const SYSTEM = getCACertificates('default');

describe('gateway over TLS', () => {
  const certificate = makeCertificate();
  const pin = readFingerprint(certificate.fingerprint)!;
  const openGateway = (shown = certificate): Promise<HandGateway> =>
    openHandGateway((id) => [welcomeText(id)], undefined, shown);
  afterEach(() => setDefaultCACertificates(SYSTEM));

  it('is used if its certificate is the configured one', async () => {
    await using hand = await openGateway();
    const socket = await open(hand.url, pin);
    expect(hand.requests.map(({ method }) => method)).toEqual(['connect']);
    socket.close();
    await socket.closed;
  });

  it('is used if the system trusts its certificate', async () => {
    await using hand = await openGateway();
    setDefaultCACertificates([...SYSTEM, certificate.cert]);
    (await open(hand.url)).close();
  });

  it('gets nothing if it is not trusted, and the person gets a hint', async () => {
    await using hand = await openGateway();
    await expect(open(hand.url)).rejects.toMatchObject({
      message: expect.stringMatching(/certificate .* is not trusted, and nothing was sent: self.signed/),
      hint: expect.stringContaining('--tls-fingerprint'),
    });
    expect(hand.requests).toEqual([]);
  });

  it('gets nothing if its certificate is not the configured one, even if the system trusts it', async () => {
    await using hand = await openGateway();
    setDefaultCACertificates([...SYSTEM, certificate.cert]);
    const other = readFingerprint(makeCertificate().fingerprint);
    await expect(open(hand.url, other)).rejects.toThrow('another certificate');
    expect(hand.requests).toEqual([]);
  });

  it('is unreachable if the server does not speak TLS', async () => {
    await using hand = await openHandGateway((id) => [welcomeText(id)]);
    await expect(open(hand.url.replace('ws:', 'wss:'), pin)).rejects.toThrow('does not speak TLS');
  });
});

const attachment = (content: string, fileName = 'a "quoted" näme.png') => ({
  type: 'image' as const,
  mimeType: 'image/png',
  fileName,
  content,
});

it.each([
  { sessionKey: 'k' },
  { message: '', attachments: [] },
  { message: 'a "word"\n', attachments: [attachment('AAAA')] },
  { message: 'ü', attachments: [attachment('AA=='), attachment(''), attachment('+/+/')], agentId: 'main' },
])('writes the same text as JSON.stringify: %j', (params) => {
  const { attachments = [], ...others } = params as { attachments?: object[] };
  const expected = attachments.length > 0 ? params : others;
  expect(JSON.parse(requestText('1', 'chat.send', params))).toEqual({
    type: 'req',
    id: '1',
    method: 'chat.send',
    params: expected,
  });
});
