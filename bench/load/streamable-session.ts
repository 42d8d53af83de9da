/** A legacy session over Streamable HTTP: one connection, answers as JSON or as a stream of events. */
import { readEvents } from './events.ts';
import { connect, exchange, type Reply } from './exchange.ts';
import { type Answer, INITIALIZE, INITIALIZED, resultOf, textOf, toolCall } from './messages.ts';
import type { Session, Target } from './target.ts';

function answerIn(reply: Reply, id: number): Answer {
  if (reply.status !== 200) throw new Error(`HTTP ${reply.status} ${reply.body.slice(0, 200)}`);
  const streamed = reply.header('content-type')?.startsWith('text/event-stream') === true;
  const documents = streamed ? readEvents(reply.body).map(({ data }) => data) : [reply.body];
  for (const document of documents) {
    if (document === '') continue;
    const answer = JSON.parse(document) as Answer;
    if (answer.id === id) return answer;
  }
  throw new Error(`no answer to ${id} in ${reply.body.slice(0, 200)}`);
}

export async function openStreamableSession(target: Target): Promise<Session> {
  const url = new URL(target.url);
  const client = connect(url);
  const path = url.pathname + url.search;
  const headers: Record<string, string> = {
    ...target.headers,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const post = (body: string): Promise<Reply> => exchange(client, { path, method: 'POST', headers, body });

  async function close(): Promise<void> {
    try {
      // Some peers keep a process per session until it is deleted.
      if (headers['mcp-session-id'] !== undefined)
        await exchange(client, { path, method: 'DELETE', headers });
    } finally {
      await client.destroy();
    }
  }

  try {
    const reply = await post(INITIALIZE);
    const { protocolVersion } = resultOf(answerIn(reply, 0));
    if (protocolVersion !== undefined) headers['mcp-protocol-version'] = protocolVersion;
    const sessionId = reply.header('mcp-session-id');
    if (sessionId !== undefined) headers['mcp-session-id'] = sessionId;
    const { status } = await post(INITIALIZED);
    if (status >= 300) throw new Error(`HTTP ${status} to notifications/initialized`);
  } catch (error) {
    await client.destroy();
    throw error;
  }

  let lastId = 0;
  return {
    async call(message) {
      lastId += 1;
      const id = lastId;
      return textOf(answerIn(await post(toolCall(id, target.tool, message)), id));
    },
    close,
  };
}
