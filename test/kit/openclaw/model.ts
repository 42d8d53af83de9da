/** A model on loopback that follows the script in the person's message and records the requests. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { completionTexts, type CompletionsRequest, textOf } from '../models/completions-api.ts';
import { sha256 } from '../sha256.ts';
import { lastExchange, nextTurn } from './script.ts';

/** One request to the model. */
export interface ModelRequest {
  /** The person's last message. */
  message: string;
  system: string;
  /** All messages except the system prompt, in order. */
  conversation: { role: string; text: string }[];
  /** The images in the person's last message. */
  images: { mimeType: string; sha256: string }[];
  tools: { name: string; description: string; parameters: object }[];
  /** Size of the request body. */
  bytes: number;
  /** The client closed the request before the answer ended. */
  wasCut: boolean;
}

export interface ScriptedModel extends AsyncDisposable {
  /** The base URL of its API: `http://127.0.0.1:<port>/v1`. */
  url: string;
}

const REFUSAL = JSON.stringify({ error: { message: 'The scripted model refuses.', type: 'scripted' } });

export async function startScriptedModel(): Promise<ScriptedModel> {
  const asked: ModelRequest[] = [];
  const pauses = new Map<string, PromiseWithResolvers<void>>();
  /** Creates the pause if it does not exist yet. */
  function pauseOf(name: string): PromiseWithResolvers<void> {
    const pause = pauses.get(name) ?? Promise.withResolvers<void>();
    pauses.set(name, pause);
    return pause;
  }

  async function answer(sent: string, response: ServerResponse): Promise<void> {
    const body = JSON.parse(sent) as CompletionsRequest;
    const request = whatWasAsked(body, Buffer.byteLength(sent));
    asked.push(request);
    response.on('close', () => (request.wasCut = !response.writableFinished));
    const { fail, hold, ...completion } = nextTurn(body.messages);
    if (fail !== undefined) {
      response.writeHead(fail, { 'content-type': 'application/json' }).end(REFUSAL);
      return;
    }
    const type = body.stream === true ? 'text/event-stream' : 'application/json';
    const [first = '', ...rest] = completionTexts(completion, body);
    response.writeHead(200, { 'content-type': type }).write(first);
    if (hold !== undefined) await pauseOf(hold).promise;
    response.end(rest.join(''));
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://model');
    void text(request).then((sent) => {
      if (pathname === '/asked') {
        const about = searchParams.get('about') ?? '';
        response.end(JSON.stringify(asked.filter(({ message }) => message.includes(about))));
      } else if (pathname === '/release') {
        pauseOf(searchParams.get('name') ?? '').resolve();
        response.end();
      } else if (request.method === 'POST' && pathname === '/v1/chat/completions')
        void answer(sent, response);
      else response.writeHead(404).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Requests to a model whose last message contains the text, in order. */
export async function askedOf(modelUrl: string, about: string): Promise<ModelRequest[]> {
  const response = await fetch(new URL(`/asked?about=${encodeURIComponent(about)}`, modelUrl));
  return (await response.json()) as ModelRequest[];
}

/** Resumes a model that holds or will hold. */
export async function releaseModel(modelUrl: string, name: string): Promise<void> {
  await fetch(new URL(`/release?name=${encodeURIComponent(name)}`, modelUrl));
}

const isSystem = (role: string): boolean => role === 'system' || role === 'developer';

function whatWasAsked({ messages, tools = [] }: CompletionsRequest, bytes: number): ModelRequest {
  const all = messages.map((message) => ({ role: message.role, text: textOf(message) }));
  const { message, images } = lastExchange(messages);
  return {
    message,
    system: all.flatMap(({ role, text: one }) => (isSystem(role) ? one : [])).join('\n'),
    conversation: all.filter(({ role }) => !isSystem(role)),
    images: images.map(imageIn),
    tools: tools.map(({ function: { name, description = '', parameters = {} } }) => ({
      name,
      description,
      parameters,
    })),
    bytes,
    wasCut: false,
  };
}

function imageIn(address: string): ModelRequest['images'][number] {
  const [, mimeType = '', data = ''] = /^data:([^;]*);base64,(.*)$/s.exec(address) ?? [];
  return { mimeType, sha256: sha256(Buffer.from(data, 'base64')) };
}
