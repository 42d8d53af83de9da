/** A model on loopback that does what the person's message says, and remembers what it was asked. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { completionText, type CompletionsRequest, textOf } from '../models/completions-api.ts';
import { lastExchange, nextTurn } from './script.ts';

/** One request to the model. */
export interface Asked {
  /** What the person said last. */
  said: string;
  system: string;
  /** Everything in the conversation that is not the system prompt, one message after the other. */
  conversation: { role: string; text: string }[];
  tools: { name: string; description: string; parameters: object }[];
  /** Of the request's body. */
  bytes: number;
}

export interface ScriptedModel extends AsyncDisposable {
  /** Where its API begins: `http://127.0.0.1:<port>/v1`. */
  url: string;
}

export async function startScriptedModel(): Promise<ScriptedModel> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://model');
    void text(request).then((sent) => {
      if (pathname === '/asked') {
        const about = searchParams.get('about') ?? '';
        response.end(JSON.stringify(asked.filter(({ said }) => said.includes(about))));
      } else if (request.method === 'POST' && pathname === '/v1/chat/completions') {
        const body = JSON.parse(sent) as CompletionsRequest;
        asked.push(whatWasAsked(body, Buffer.byteLength(sent)));
        const type = body.stream === true ? 'text/event-stream' : 'application/json';
        response.writeHead(200, { 'content-type': type });
        response.end(completionText(nextTurn(body.messages), body));
      } else response.writeHead(404).end();
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

/** The requests to a model whose last message holds a text, in their order. */
export async function askedOf(modelUrl: string, about: string): Promise<Asked[]> {
  const response = await fetch(new URL(`/asked?about=${encodeURIComponent(about)}`, modelUrl));
  return (await response.json()) as Asked[];
}

const isSystem = (role: string): boolean => role === 'system' || role === 'developer';

function whatWasAsked({ messages, tools = [] }: CompletionsRequest, bytes: number): Asked {
  const all = messages.map((message) => ({ role: message.role, text: textOf(message) }));
  return {
    said: lastExchange(messages).said,
    system: all.flatMap(({ role, text: said }) => (isSystem(role) ? said : [])).join('\n'),
    conversation: all.filter(({ role }) => !isSystem(role)),
    tools: tools.map(({ function: { name, description = '', parameters = {} } }) => ({
      name,
      description,
      parameters,
    })),
    bytes,
  };
}
