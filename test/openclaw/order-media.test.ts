/** Images and files of orders and their answers. */
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { startMcpServer, type McpServer } from '../kit/mcp-server.ts';
import { openHost } from '../kit/openclaw/host.ts';
import { errorIn, ownerEnv, watchModel } from '../kit/openclaw/order.ts';
import { sha256 } from '../kit/sha256.ts';
import { verifies } from '../verifies.ts';

const address = inject('openclaw');
const { profile } = openHost(address);
const model = watchModel(address);
let server: McpServer;

beforeAll(async () => {
  server = await startMcpServer(ownerEnv(profile));
});
afterAll(() => server?.[Symbol.asyncDispose]());

/** One red pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  'base64',
);
const PDF = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n' +
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
);
/** Four samples of silence. */
const WAV = Buffer.concat([
  Buffer.from('RIFF\x2c\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0', 'latin1'),
  Buffer.from([0x40, 0x1f, 0, 0, 0x80, 0x3e, 0, 0, 2, 0, 16, 0]),
  Buffer.from('data\x08\0\0\0\0\0\0\0\0\0\0\0', 'latin1'),
]);
const base64 = (bytes: Buffer): string => bytes.toString('base64');

test('images reach the model as they are', async () => {
  const mark = crypto.randomUUID();
  verifies('001-media-with-message');
  const images = [1, 2].map(() => ({ data: base64(PNG), mimeType: 'image/png' }));
  const { isError = false } = await server.order(`What is this? ${mark}`, { images });
  expect(isError).toBe(false);
  const [asked] = await model.asked(mark);
  const seen = { mimeType: 'image/png', sha256: sha256(PNG) };
  expect(asked?.images).toEqual([seen, seen]);
});

test('an image that is larger than the gateway takes is scaled down, and the answer says so', async () => {
  verifies('001-image-max-15mb');
  const mark = crypto.randomUUID();
  const edge = 1_700;
  // Noise cannot be written any shorter: 8.7 million bytes, where the gateway takes 6 MiB.
  const noise = await sharp(randomBytes(edge * edge * 3), { raw: { width: edge, height: edge, channels: 3 } })
    .png({ compressionLevel: 0 })
    .toBuffer();
  const images = [{ data: base64(noise), mimeType: 'image/png', filename: 'noise.png' }];
  const { content, isError = false } = await server.order(`What is this? ${mark}`, { images });
  expect(isError).toBe(false);
  expect(content.at(-1)).toMatchObject({
    type: 'text',
    text: expect.stringContaining('noise.png was scaled down from 1700×1700') as string,
  });
  const [asked] = await model.asked(mark);
  expect(asked?.images).toHaveLength(1);
});

test('a file is laid before the agent, under its name and whole', async () => {
  verifies('001-media-with-message', '001-file-filename');
  const mark = crypto.randomUUID();
  const file = { data: base64(PDF), mimeType: 'application/pdf', filename: '../../report.pdf' };
  const { isError = false } = await server.order(`Read it: ${mark}`, { files: [file] });
  expect(isError).toBe(false);
  const [heard] = await model.userMessages(mark);
  const [, name = ''] =
    /\[media attached: media:\/\/inbound\/(\S+) \(application\/pdf\)\]/.exec(heard!) ?? [];
  expect(name).toMatch(/^report[\w-]*\.pdf$/);
  expect(readFileSync(join(profile.state, 'media', 'inbound', name)).equals(PDF)).toBe(true);
});

test('speech is transcribed where OpenClaw itself can', async () => {
  verifies('001-file-audio-transcribed');
  const mark = crypto.randomUUID();
  // OpenClaw takes nothing shorter than a kilobyte for speech.
  const speech = Buffer.concat([WAV, Buffer.alloc(2_000)]);
  const file = { data: base64(speech), mimeType: 'audio/wav', filename: 'note.wav' };
  const { isError = false } = await server.order(`Listen: ${mark}`, { files: [file] });
  expect(isError).toBe(false);
  const [heard] = await model.userMessages(mark);
  expect(heard).toContain(`Transcript:\nspoken for ${speech.length} bytes`);
});

test('images, sounds and files of an answer come with it, in their order', async () => {
  verifies('001-receive-several', '001-receive-text', '001-receive-image', '001-receive-audio');
  verifies('001-receive-resource', '001-base64-out');
  const files: Record<string, Buffer> = {
    'order-pic.png': PNG,
    'order-sound.wav': WAV,
    'order-words.txt': Buffer.from('what was found'),
  };
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(profile.workspace, name), bytes);
  const lines = Object.keys(files).map((name) => `MEDIA:./${name}`);
  const { content, isError = false } = await server.order(['look', ...lines].join('\n'));
  expect(isError).toBe(false);
  expect(content).toEqual([
    { type: 'text', text: 'echo: look' },
    { type: 'image', data: base64(PNG), mimeType: 'image/png' },
    { type: 'audio', data: base64(WAV), mimeType: expect.stringMatching(/^audio\/(x-)?wav$/) },
    {
      type: 'resource',
      resource: {
        uri: 'attachment://order-words.txt',
        mimeType: 'text/plain',
        blob: base64(files['order-words.txt']!),
      },
    },
  ]);
});

test('a file that OpenClaw does not send is said to be missing, in its place', async () => {
  for (const name of ['order-kind.xyz', 'order-here.txt'])
    writeFileSync(join(profile.workspace, name), 'what was found');
  const names = ['order-gone.png', 'order-here.txt', 'order-kind.xyz'];
  const { content } = await server.order(['look', ...names.map((name) => `MEDIA:./${name}`)].join('\n'));
  expect(content).toMatchObject([
    { type: 'text', text: 'echo: look' },
    { type: 'text', text: '[order-gone.png is missing: there is no such file]' },
    { type: 'resource', resource: { uri: 'attachment://order-here.txt' } },
    { type: 'text', text: '[order-kind.xyz is missing: OpenClaw does not send files of this kind]' },
  ]);
});

test('what is no image is refused, and the agent hears nothing of it', async () => {
  const mark = crypto.randomUUID();
  const images = [{ data: base64(PDF), mimeType: 'image/png' }];
  const result = await server.order(`What is this? ${mark}`, { images });
  expect(errorIn(result)).toMatch(/^Error: .*image\/png/);
  expect(await model.asked(mark)).toEqual([]);
});
