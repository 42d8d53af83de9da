import { describe, expect, it } from 'vitest';
import { responseText, welcomeText } from '../../../../../test/kit/openclaw/gateway-texts.ts';
import { openHandGateway } from '../../../../../test/kit/openclaw/fake-gateway.ts';
import { temporaryFolder } from '../../../../../test/kit/temporary-folder.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { openIdentity } from '../../owner/device-identity.ts';
import type { ReplyMedia } from '../media/content-blocks.ts';
import { createGateway } from './gateway.ts';
import { fetchReplyMedia } from './reply-media.ts';

const RUN = { runId: 'run', sessionKey: 'k' };

interface Scene {
  /** URLs. */
  readonly named: readonly string[];
  /** Names and sizes in bytes. */
  readonly sent: Readonly<Record<string, number>>;
  /** Names and reasons. */
  readonly unsent?: Readonly<Record<string, string>>;
  /** The response instead of the bytes. */
  readonly download?: (gatewayUrl: string) => unknown;
}

interface Fetched {
  readonly media: ReplyMedia[];
  readonly methods: string[];
}

async function fetched(
  { named, sent, unsent = {}, download }: Scene,
  limits = DEFAULT_LIMITS,
): Promise<Fetched> {
  using home = temporaryFolder('reply-media');
  const errors = Object.entries(unsent).map(([label, code]) => ({
    type: 'attachment_error',
    attachment: { code, label, mimeType: 'image/png' },
  }));
  const answers: Record<string, (params: { artifactId: string }) => unknown> = {
    'agent.wait': () => ({ status: 'ok' }),
    'artifacts.list': () => ({
      artifacts: Object.entries(sent).map(([title, sizeBytes]) => ({ id: title, title, sizeBytes })),
    }),
    'artifacts.download': ({ artifactId }) =>
      download?.(hand.url.replace(/^ws/, 'http')) ?? {
        encoding: 'base64',
        data: Buffer.alloc(sent[artifactId]!).toString('base64'),
      },
    'chat.history': () => ({
      messages: [
        { role: 'user', content: 'look' },
        { role: 'assistant', content: errors, __openclaw: { runId: 'run' } },
        { role: 'assistant', content: errors, __openclaw: { runId: 'another' } },
      ],
    }),
  };
  await using hand = await openHandGateway(
    (id) => [welcomeText(id)],
    ({ id, method, params }) => [responseText(id, answers[method]!(params as { artifactId: string }))],
  );
  const gateway = createGateway({
    find: () => ({ url: hand.url, credential: { token: 't' }, how: 'a test' }),
    identity: () => openIdentity(home.path),
  });
  const none = { data: undefined, mimeType: undefined, name: undefined, size: undefined };
  const { signal } = new AbortController();
  const media = await fetchReplyMedia(gateway, RUN, {
    named: named.map((url) => ({ ...none, url })),
    limits,
    signal,
  });
  gateway.close();
  return { media, methods: hand.requests.map(({ method }) => method) };
}

describe('fetchReplyMedia', () => {
  it('fetches the files, and reads no history if none is missing', async () => {
    const { media, methods } = await fetched({
      named: ['./a.png', './b.txt'],
      sent: { 'a.png': 3, 'b.txt': 5 },
    });
    expect(media.map(({ name, content }) => [name, 'bytes' in content && content.bytes.length])).toEqual([
      ['a.png', 3],
      ['b.txt', 5],
    ]);
    expect(methods).not.toContain('chat.history');
  });

  it('reports unsent files with the reason, in their place', async () => {
    const { media } = await fetched({
      named: ['./gone.png', './b.txt', '/etc/secret.txt', './c.xyz'],
      sent: { 'b.txt': 5 },
      unsent: {
        'c.xyz': 'unsupported-format',
        'gone.png': 'file-not-found',
        'secret.txt': 'delivery-failed',
      },
    });
    expect(media).toMatchObject([
      { name: 'gone.png', mimeType: 'image/png', content: { missing: 'there is no such file' } },
      { name: 'b.txt' },
      { name: 'secret.txt', content: { missing: 'OpenClaw did not send it' } },
      { name: 'c.xyz', content: { missing: 'OpenClaw does not send files of this kind' } },
    ]);
  });

  it('reports an unsent file without a known reason', async () => {
    const { media } = await fetched({
      named: ['./a.png', 'https://x.example/b.png?c=/d'],
      sent: { 'a.png': 1 },
    });
    expect(media).toMatchObject([
      { name: 'a.png' },
      { name: 'b.png', content: { missing: 'OpenClaw did not send it' } },
    ]);
  });

  it('returns a file once if it was named twice', async () => {
    const { media } = await fetched({
      named: ['./a #1.png', '/workspace/a #1.png'],
      sent: { 'a #1.png': 1 },
    });
    expect(media.map(({ name }) => name)).toEqual(['a #1.png']);
  });

  it('does not fetch more than can be kept', async () => {
    const limits = { ...DEFAULT_LIMITS, maxShelfBytes: 15 };
    const sent = { 'a.png': 10, 'b.png': 16, 'c.png': 6, 'd.png': 5 };
    const { media, methods } = await fetched({ named: Object.keys(sent), sent }, limits);
    expect(media.map(({ content }) => Object.keys(content)[0])).toEqual(['bytes', 'size', 'size', 'bytes']);
    expect(methods.filter((method) => method === 'artifacts.download')).toHaveLength(2);
  });

  it.each([
    ['with a password', (url: string) => ({ url: `${url.replace('//', '//u:p@')}/x?mediaTicket=SECRET` })],
    ['elsewhere', () => ({ url: 'http://127.0.0.1:1/x?mediaTicket=SECRET' })],
    ['that is invalid', () => ({ url: 'http://[SECRET' })],
    ['that was never given', () => ({ url: 7 })],
    ['in an invalid answer', () => 'SECRET'],
  ])('reports a file with a URL %s as missing, without details', async (_, download) => {
    const { media } = await fetched({ named: ['/a.png'], sent: { 'a.png': 3 }, download });
    expect(media).toMatchObject([{ name: 'a.png', content: { missing: expect.any(String) } }]);
    expect(JSON.stringify(media)).not.toMatch(/SECRET|u:p|TypeError|Cannot/);
  });
});
