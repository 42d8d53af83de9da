/** Seed 000, its history: a gateway that does not accept this machine yet, and the messages to the person. */
import { describe, expect, it } from 'vitest';
import { openCliHome } from '../kit/cli.ts';
import { freePort } from '../kit/free-port.ts';
import { responseText } from '../kit/openclaw/gateway-texts.ts';
import { openHandGateway, type HandRequest } from '../kit/openclaw/fake-gateway.ts';
import { eventually } from '../kit/processes.ts';
import { verifies } from '../verifies.ts';

interface Tried {
  /** The output until the expected text, or until the program ended. */
  said: string;
  /** The exit code, if the program ended by itself. */
  code: number | null | undefined;
  /** The first request to the gateway. */
  first: { auth: Record<string, string>; device: { id: string }; role: string } | undefined;
}

/** Runs `pincer node pair` at a gateway that refuses with these details, until the expected output. */
async function pair(
  details: object,
  looked: RegExp,
  args = (url: string): string[] => ['--url', url],
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
  const { child, stdout, ended } = cli.start(['node', 'pair', ...args(gateway.url)], {
    env: { PINCER_DEVICE: 'on', HOME: cli.path },
  });
  let stderr = '';
  child.stderr?.on('data', (chunk: string) => (stderr += chunk));
  const said = (): string => stdout() + stderr;
  await eventually(() => looked.test(said()) || /not finished yet/.test(said()) || child.exitCode !== null);
  // Shows whether the program keeps waiting.
  await eventually(() => child.exitCode !== null, 300);
  const code = child.exitCode ?? undefined;
  child.kill('SIGINT');
  await ended;
  return { said: said(), code, first: gateway.requests[0]?.params as Tried['first'] };
}

const WAITING = { code: 'PAIRING_REQUIRED', requestId: 'request-7', reason: 'not-paired' };
const APPROVE = /openclaw devices approve request-7/;

it("shows the node's id and the command that approves it while it waits", async () => {
  verifies('000-history-pairing-status');
  const { said, code, first } = await pair(WAITING, APPROVE);
  expect(first?.role).toBe('node');
  expect(said).toContain(first?.device.id);
  expect(said).toMatch(APPROVE);
  expect(code).toBeUndefined();
});

it('reads the address and the token of the first connection from a setup code', async () => {
  verifies('000-history-setup-code');
  const { said, code, first } = await pair(WAITING, APPROVE, (url) => [
    '--setup-code',
    Buffer.from(JSON.stringify({ url, bootstrapToken: 'for-one-visit' })).toString('base64url'),
  ]);
  expect(first?.auth).toMatchObject({ bootstrapToken: 'for-one-visit' });
  expect(said).not.toContain('for-one-visit');
  expect(said).toMatch(APPROVE);
  expect(code).toBeUndefined();
});

describe('explains a refused connection by its cause', () => {
  it.each([
    ['AUTH_TOKEN_MISMATCH', /token.*setup code/s],
    ['AUTH_PASSWORD_MISMATCH', /password.*setup code/s],
    ['DEVICE_AUTH_SIGNATURE_INVALID', /clock.*device-key/s],
  ])('%s', async (code, advice) => {
    verifies('000-history-auth-guidance');
    const { said } = await pair({ code }, /refused/);
    expect(said).toMatch(advice);
    // The URL was given on the command line, so the hint must not name the setting.
    expect(said).not.toContain('agent.gatewayUrl');
  });
});

it('reports that a gateway is unreachable', async () => {
  await using home = openCliHome();
  home.configure({}, { proxy: { enabled: false }, device: { port: 0 } });
  const url = `ws://127.0.0.1:${await freePort()}`;
  const { code, document } = await home.json(['node', 'pair', '--url', url, '--wait', '2'], {
    env: { PINCER_DEVICE: 'on', HOME: home.path },
  });
  expect(code).toBe(4);
  expect(document).toMatchObject({ ok: false, error: { code: 'SERVER_UNREACHABLE' } });
});
