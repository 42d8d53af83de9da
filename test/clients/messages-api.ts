/** A Messages API on loopback whose model calls one tool once and then repeats what the tool said. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ScriptedModel extends AsyncDisposable {
  url: string;
  /** The names of the tools that the client has offered so far. */
  offered: Set<string>;
}

interface MessagesRequest {
  model: string;
  tools?: { name: string }[];
  messages: { content: string | { type: string; content?: unknown }[] }[];
}

export async function startScriptedModel(tool: { name: string; input: object }): Promise<ScriptedModel> {
  const offered = new Set<string>();
  const server = createServer((request, response) => {
    if (request.method !== 'POST' || !request.url?.startsWith('/v1/messages')) {
      response.writeHead(404).end();
      return;
    }
    void text(request).then((body) => {
      const asked = JSON.parse(body) as MessagesRequest;
      for (const { name } of asked.tools ?? []) offered.add(name);
      const said = toolResult(asked);
      if (said !== undefined) sendBlock(response, asked.model, { type: 'text', text: said });
      else sendBlock(response, asked.model, { type: 'tool_use', id: 'toolu_1', ...tool });
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    offered,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function toolResult({ messages }: MessagesRequest): string | undefined {
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  const result = blocks.find(({ type }) => type === 'tool_result');
  return result === undefined ? undefined : JSON.stringify(result.content);
}

type Block = { type: 'text'; text: string } | { type: 'tool_use'; id: string; name: string; input: object };

/** A whole answer of one block, in the events of the streaming API. */
function sendBlock(response: ServerResponse, model: string, block: Block): void {
  const isText = block.type === 'text';
  const usage = { input_tokens: 1, output_tokens: 1 };
  const events = [
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage,
      },
    },
    {
      type: 'content_block_start',
      index: 0,
      content_block: isText ? { ...block, text: '' } : { ...block, input: {} },
    },
    {
      type: 'content_block_delta',
      index: 0,
      delta: isText
        ? { type: 'text_delta', text: block.text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
    },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: isText ? 'end_turn' : 'tool_use', stop_sequence: null },
      usage,
    },
    { type: 'message_stop' },
  ];
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
}
