/** Seed 000, its history: a gateway that does not let this machine in yet, and what the person is told. */
import { describe, expect, it } from 'vitest';
import { openCliHome, type Ran } from '../kit/cli.ts';
import { responseText } from '../kit/openclaw/gateway-texts.ts';
import { openHandGateway, type HandRequest } from '../kit/openclaw/hand-gateway.ts';
import { verifies } from '../verifies.ts';

interface Tried extends Ran {
  said: string;
  /** What the gateway was asked first. */
  first: { auth: Record<string, string>; device: { id: string }; role: string };
}

/** `pincer node pair` at a gateway that refuses with this. */
async function pair(
  details: object,
  args: (url: string) => string[] = (url) => ['--url', url],
): Promise<Tried> {
  const refuse = (id: string): string[] => [
    JSON.stringify({
      type: 'res',
      id,
      ok: false,
      error: { code: 'requestId' in details ? 'NOT_PAIRED' : 'INVALID_REQUEST', message: 'refused', details },
    }),
  ];
  await using gateway = await openHandGateway(refuse, ({ id }: HandRequest) => [responseText(id, {})]);
  await using cli = openCliHome();
  cli.configure({}, { proxy: { enabled: false }, device: { port: 0 } });
  const env = { PINCER_DEVICE: 'on', HOME: cli.path };
  const ran = await cli.run(['node', 'pair', ...args(gateway.url), '--wait', '1'], { env });
  return { ...ran, said: ran.stdout + ran.stderr, first: gateway.requests[0]?.params as Tried['first'] };
}

const WAITING = { code: 'PAIRING_REQUIRED', requestId: 'request-7', reason: 'not-paired' };

it('a node that waits for approval shows its id and the command that approves it', async () => {
  verifies('000-history-pairing-status');
  const { said, code, first } = await pair(WAITING);
  expect(first.role).toBe('node');
  expect(said).toContain(first.device.id);
  expect(said).toContain('openclaw devices approve request-7');
  expect(code).toBe(3);
});

it('a setup code has the address and the token of the first visit in it', async () => {
  verifies('000-history-setup-code');
  const { said, code, first } = await pair(WAITING, (url) => [
    '--setup-code',
    Buffer.from(JSON.stringify({ url, bootstrapToken: 'for-one-visit' })).toString('base64url'),
  ]);
  expect(first.auth).toMatchObject({ bootstrapToken: 'for-one-visit' });
  expect(said).not.toContain('for-one-visit');
  expect(said).toContain('openclaw devices approve request-7');
  expect(said).not.toContain('Warning');
  expect(code).toBe(3);
});

describe('a refused connection comes with advice for its cause', () => {
  it.each([
    ['AUTH_TOKEN_MISMATCH', /token/i],
    ['AUTH_PASSWORD_MISMATCH', /OPENCLAW_GATEWAY_PASSWORD|gateway\.auth\.password/],
    ['DEVICE_AUTH_SIGNATURE_INVALID', /signature|clock|device-key/i],
  ])('%s', async (code, advice) => {
    verifies('000-history-auth-guidance');
    const { said } = await pair({ code });
    expect(said).toMatch(advice);
    // It was told on the command line, and by nothing else.
    expect(said).not.toContain('agent.gatewayUrl');
  });
});
