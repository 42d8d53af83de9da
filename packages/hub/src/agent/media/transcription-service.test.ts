import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PincerError } from '../../core/errors.ts';
import type { Attachment } from './read-attachments.ts';
import { createTranscriber } from './transcribe.ts';

const NEVER_ABORTED = new AbortController().signal;
const KEY = 'sk-very-secret-key-0123456789';
const MAX = 1_000;
const SPEECH = Buffer.from([0x4f, 0x67, 0x67, 0x53, 0, 1, 0xff, 0xc3, 0x28]);
const audioOf = (mimeType: string): Attachment => ({
  kind: 'file',
  mimeType,
  name: 'voice note.ogg',
  size: SPEECH.length,
  data: SPEECH.toString('base64'),
});

interface Asked {
  readonly method: string | undefined;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

let server: Server;
let asked: Asked[];
let answer: (response: ServerResponse) => void;
let base: string;
beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method, headers, url = '' } = request;
      asked.push({ method, headers, url: new URL(url, base), body: Buffer.concat(parts) });
      answer(response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const says = (body: unknown, status = 200, headers: Record<string, string> = {}) => {
  answer = (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
};

const PROVIDERS = {
  deepgram: {
    name: 'Deepgram',
    path: '/v1/listen',
    responseOf: (transcript: string) => ({
      metadata: { request_id: 'r', channels: 1 },
      results: { channels: [{ alternatives: [{ transcript, confidence: 0.99, words: [] }] }] },
    }),
  },
  openai: {
    name: 'OpenAI',
    path: '/v1/audio/transcriptions',
    responseOf: (text: string) => ({ text, usage: { type: 'duration', seconds: 3 } }),
  },
} as const;
type Provider = keyof typeof PROVIDERS;
const EACH = ['deepgram', 'openai'] as const;

interface Settings {
  readonly url?: string;
  readonly model?: string;
  readonly timeoutMs?: number;
  readonly apiKey?: string | undefined;
}

const log: string[] = [];
const transcriberOf = (provider: Provider, settings: Settings = {}) =>
  createTranscriber(
    { provider, apiKey: KEY, url: base + PROVIDERS[provider].path, timeoutMs: 30_000, ...settings },
    {
      env: {},
      log: { warn: (message, fields) => log.push(JSON.stringify([message, fields])) },
      limits: { maxTranscriptBytes: MAX, maxAnswerBytes: 10 * MAX },
    },
  );

async function refusal(provider: Provider, settings: Settings = {}): Promise<PincerError> {
  const error: unknown = await transcriberOf(provider, settings)
    .transcribe(audioOf('audio/ogg'), NEVER_ABORTED)
    .catch((reason: unknown) => reason);
  if (!PincerError.is(error)) throw new Error('it was not refused');
  for (let each: unknown = error; each instanceof Error; each = each.cause)
    expect(`${each.message} ${each.stack}`).not.toContain(KEY);
  expect(log.join('\n')).not.toContain(KEY);
  return error;
}

describe('Deepgram', () => {
  it('receives a request as its documentation describes', async () => {
    says(PROVIDERS.deepgram.responseOf(' Guten Morgen, 世界. '));
    const text = await transcriberOf('deepgram').transcribe(audioOf('audio/opus'), NEVER_ABORTED);
    expect(text).toBe('Guten Morgen, 世界.');
    const [{ method, url, headers, body }] = asked as [Asked];
    expect(method).toBe('POST');
    expect(url.pathname).toBe('/v1/listen');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      model: 'nova-3',
      smart_format: 'true',
      detect_language: 'true',
    });
    expect(headers.authorization).toBe(`Token ${KEY}`);
    expect(headers['content-type']).toBe('audio/opus');
    expect(body).toEqual(SPEECH);
  });

  it('receives the query of the URL and the settings', async () => {
    says(PROVIDERS.deepgram.responseOf('hello'));
    const url = `${base}/own/listen?language=de&smart_format=false`;
    await transcriberOf('deepgram', { url, model: 'nova-2' }).transcribe(audioOf('audio/wav'), NEVER_ABORTED);
    expect(asked[0]!.url.pathname).toBe('/own/listen');
    expect(Object.fromEntries(asked[0]!.url.searchParams)).toEqual({
      language: 'de',
      smart_format: 'false',
      model: 'nova-2',
    });
  });
});

describe('OpenAI', () => {
  it.each([
    ['audio/mpeg', 'audio/mpeg', 'audio.mp3'],
    ['audio/mp4', 'audio/mp4', 'audio.m4a'],
    ['audio/opus', 'audio/ogg', 'audio.ogg'],
  ])('receives a request as its documentation describes: %s', async (given, type, filename) => {
    says(PROVIDERS.openai.responseOf('hello'));
    expect(await transcriberOf('openai').transcribe(audioOf(given), NEVER_ABORTED)).toBe('hello');
    const [{ method, url, headers, body }] = asked as [Asked];
    expect(`${method} ${url.pathname}`).toBe('POST /v1/audio/transcriptions');
    expect(headers.authorization).toBe(`Bearer ${KEY}`);
    const sent = new Response(new Uint8Array(body), {
      headers: { 'content-type': headers['content-type']! },
    });
    // oxlint-disable-next-line typescript/no-deprecated -- reads our own request as a server does
    const form = await sent.formData();
    const file = form.get('file') as File;
    expect([...form.keys()].toSorted()).toEqual(['file', 'model', 'response_format']);
    expect(form.get('model')).toBe('whisper-1');
    expect(form.get('response_format')).toBe('json');
    expect([file.type, file.name]).toEqual([type, filename]);
    expect(Buffer.from(await file.arrayBuffer())).toEqual(SPEECH);
  });

  it('receives the configured model, and no key if there is none', async () => {
    says(PROVIDERS.openai.responseOf('hello'));
    const settings = { model: 'large-v3', apiKey: undefined };
    await transcriberOf('openai', settings).transcribe(audioOf('audio/wav'), NEVER_ABORTED);
    expect(asked[0]!.headers.authorization).toBeUndefined();
    expect(asked[0]!.body.toString('latin1')).toContain('large-v3');
  });
});

describe.each(EACH)('%s', (provider) => {
  const { name, responseOf } = PROVIDERS[provider];
  const transcribe = (signal = NEVER_ABORTED) =>
    transcriberOf(provider).transcribe(audioOf('audio/ogg'), signal);

  it('may return an empty text', async () => {
    says(responseOf(''));
    expect(await transcribe()).toBe('');
  });

  it.each([MAX - 1, MAX])('may return a text of %i bytes', async (count) => {
    says(responseOf('x'.repeat(count)));
    expect(await transcribe()).toHaveLength(count);
  });

  it('may not return one byte more', async () => {
    says(responseOf('x'.repeat(MAX + 1)));
    expect((await refusal(provider)).message).toBe('The text is longer than 1000 bytes.');
  });

  it('may not respond without an end', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        while (!response.destroyed && response.write(' '.repeat(5 * MAX)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    expect((await refusal(provider)).message).toBe(`${name} answered with more than 9.8 KB.`);
  });

  it.each([
    ['{', 'no JSON'],
    ['[]', 'no text'],
    ['{"text":5,"results":{"channels":[]}}', 'a number'],
  ])('may not respond with %j: %s', async (body) => {
    says(body);
    const { code, message } = await refusal(provider);
    expect(code).toBe('SERVER_PROTOCOL');
    expect(message).toBe(`${name} answered without a text.`);
  });

  it.each([401, 403])('that rejects the key is reported without its message (%i)', async (status) => {
    says({ error: { message: `Incorrect API key provided: ${KEY.slice(0, 8)}***` } }, status);
    const { message, hint } = await refusal(provider);
    expect(message).toBe(`${name} does not accept the key (HTTP ${status}).`);
    expect(hint).toContain('agent.transcription');
  });

  it.each([
    [{ err_code: 'Bad Request', err_msg: 'corrupt or unsupported data' }, ': corrupt or unsupported data'],
    [{ error: { message: `bad ${KEY}\u001b[2J`, type: 'x' } }, ': bad …\\u001b[2J'],
    [{ error: 'too long' }, ': too long'],
    [{ message: 'm'.repeat(500) }, `: ${'m'.repeat(200)}`],
    ['<html>', ''],
    [' '.repeat(100_000), ''],
  ])('is reported with its message if it refuses: %j', async (body, words) => {
    says(body, 400);
    const { code, message } = await refusal(provider);
    expect(code).toBe('TOOL_ERROR');
    expect(message).toBe(`${name} refused the request (HTTP 400${words}).`);
  });

  it('is not followed to another address', async () => {
    says('', 307, { location: `${base}/elsewhere` });
    expect((await refusal(provider)).message).toBe(
      `${name} redirects (HTTP 307), and redirects are not followed.`,
    );
    expect(asked).toHaveLength(1);
  });

  it('is reported if it is unreachable', async () => {
    const url = `${base}/x?token=${KEY}`;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    const { code, message } = await refusal(provider, { url });
    expect(code).toBe('SERVER_UNREACHABLE');
    expect(message).toBe(`${name} cannot be reached (ECONNREFUSED).`);
  });

  it('is reported if it closes the connection', async () => {
    answer = (response) => response.destroy();
    expect((await refusal(provider)).message).toMatch(/cannot be reached \(\w+\)\.$/);
  });

  it.each(['before its answer', 'within its answer'])('times out %s', async (when) => {
    answer = (response) => {
      if (when === 'within its answer') response.write('{');
    };
    const { code, message } = await refusal(provider, { timeoutMs: 300 });
    expect(code).toBe('CALL_TIMEOUT');
    expect(message).toBe(`${name} did not answer within 0.3 seconds.`);
  });

  it('is aborted when the order is cancelled', async () => {
    const controller = new AbortController();
    const gone = Promise.withResolvers<void>();
    const reason = new Error('cancelled');
    answer = (response) => {
      response.once('close', gone.resolve);
      controller.abort(reason);
    };
    await expect(transcribe(controller.signal)).rejects.toBe(reason);
    await gone.promise;
  });
});
