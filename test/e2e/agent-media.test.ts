/** Images and speech on their way to an agent, through the real, packaged hub. */
import { randomBytes } from 'node:crypto';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startHub, type TestHub } from '../kit/hub.ts';
import { final, openFakeAgent, type FakeAgent } from '../kit/openclaw/fake-agent.ts';
import { verifies } from '../verifies.ts';

const MAX_IMAGE_BYTES = 10_000;
const MAX_BYTES = 20_000;
/** Prints its input as hexadecimal, in place of whisper's transcript. */
const TRANSCRIBER = `const { readFileSync } = require('node:fs');
  const speech = readFileSync(process.argv.at(-1));
  if (speech.length > 1_000) process.exit(7);
  console.log('heard ' + speech.toString('hex'));`;

let gateway: FakeAgent;
let hub: TestHub;
let client: Client;
beforeAll(async () => {
  const attachments = { maxBytes: MAX_BYTES, maxImageBytes: MAX_IMAGE_BYTES };
  gateway = await openFakeAgent(() => [final('Done.')], undefined, { attachments });
  const command = [process.execPath, '-e', TRANSCRIBER, '{file}'];
  hub = await startHub({ config: { agent: { gatewayUrl: gateway.url, transcription: { command } } } });
  client = new Client({ name: 'kit', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${hub.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(hub.url), { requestInit }));
});
afterAll(async () => {
  await client.close();
  await hub[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
});

/** Returns the answer to the caller and the message that the gateway received. */
async function order(media: object) {
  const message = `/look at this, ${crypto.randomUUID()}`;
  const call = { name: 'order_openclaw', arguments: { message, ...media } };
  const { content, isError } = await client.callTool(call);
  const sent = gateway.orders.find((each) => each.message === message);
  return { text: JSON.stringify(content), isError: isError === true, attachments: sent?.attachments };
}

const noise = (edge: number): Promise<Buffer> =>
  sharp(randomBytes(edge * edge * 3), { raw: { width: edge, height: edge, channels: 3 } })
    .png()
    .toBuffer();
const mp3 = (size: number): string => Buffer.alloc(size, 'ID3\x04', 'latin1').toString('base64');

it('sends a small image unchanged', async () => {
  verifies('001-image-filename');
  const data = (await noise(50)).toString('base64');
  const { text, attachments } = await order({ images: [{ data, mimeType: 'image/png', filename: 'a.png' }] });
  expect(attachments).toEqual([{ type: 'image', mimeType: 'image/png', fileName: 'a.png', content: data }]);
  expect(text).not.toContain('scaled');
});

it('scales down a large image and reports it in the answer', async () => {
  const bytes = await noise(100);
  expect(bytes.length).toBeGreaterThan(3 * MAX_IMAGE_BYTES);
  const { text, isError, attachments } = await order({
    images: [{ data: bytes.toString('base64'), mimeType: 'image/png', filename: 'a.png' }],
  });
  const [image, ...others] = attachments!;
  expect(isError).toBe(false);
  expect(image).toMatchObject({ type: 'image', mimeType: 'image/png', fileName: 'a.png' });
  expect(others).toEqual([]);
  const sent = Buffer.from(image!.content, 'base64');
  expect(sent.length).toBeLessThanOrEqual(MAX_IMAGE_BYTES);
  const { width, height } = await sharp(sent).metadata();
  expect(text).toContain('Done.');
  expect(text).toContain(`a.png was scaled down from 100×100`);
  expect(text).toContain(`to ${width}×${height}`);
});

it('refuses a file that is too large and sends nothing', async () => {
  const data = Buffer.alloc(MAX_BYTES + 1, 'x').toString('base64');
  const { text, isError, attachments } = await order({
    files: [{ data, mimeType: 'text/plain', filename: 'log.txt' }],
  });
  expect(isError).toBe(true);
  expect(text).toContain('log.txt is too large');
  expect(attachments).toBeUndefined();
});

it('attaches the transcript of speech and leaves the message unchanged', async () => {
  verifies('001-file-audio-transcribed');
  const data = mp3(8);
  const { attachments } = await order({ files: [{ data, mimeType: 'audio/mpeg', filename: 'note.mp3' }] });
  const [speech, transcript] = attachments!;
  expect(speech).toEqual({ type: 'file', mimeType: 'audio/mpeg', fileName: 'note.mp3', content: data });
  expect(transcript).toMatchObject({
    type: 'file',
    mimeType: 'text/plain',
    fileName: 'note.mp3.transcript.txt',
  });
  expect(Buffer.from(transcript!.content, 'base64').toString()).toBe('heard 4944330449443304');
});

it('sends speech without a transcript if transcription fails, and reports it in the answer', async () => {
  const files = [{ data: mp3(2_000), mimeType: 'audio/mpeg', filename: 'note.mp3' }];
  const { text, isError, attachments } = await order({ files });
  expect(isError).toBe(false);
  expect(attachments).toHaveLength(1);
  expect(text).toContain('note.mp3 has no transcript: The transcription program ended with code 7.');
});
