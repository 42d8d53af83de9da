/** A session over HTTP+SSE (2024-11-05): answers arrive on the stream, requests go to the address that the stream names. */
import { createEventReader } from './events.ts';
import { connect, exchange } from './exchange.ts';
import { type Answer, INITIALIZE, INITIALIZED, resultOf, textOf, toolCall } from './messages.ts';
import type { Session, Target } from './target.ts';

const ANSWER_TIMEOUT_MS = 30_000;

export async function openSseSession(target: Target): Promise<Session> {
  const url = new URL(target.url);
  const listener = connect(url);
  const sender = connect(url);
  const waiting = new Map<number, PromiseWithResolvers<Answer>>();
  const endpoint = Promise.withResolvers<string>();

  function fail(error: Error): void {
    endpoint.reject(error);
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }

  const read = createEventReader(({ type, data }) => {
    if (type === 'endpoint') {
      const address = new URL(data, url);
      endpoint.resolve(address.pathname + address.search);
      return;
    }
    const answer = JSON.parse(data) as Answer;
    const waiter = waiting.get(Number(answer.id));
    waiting.delete(Number(answer.id));
    waiter?.resolve(answer);
  });

  listener.dispatch(
    {
      path: url.pathname + url.search,
      method: 'GET',
      headers: { ...target.headers, accept: 'text/event-stream' },
      bodyTimeout: 0,
    },
    {
      onRequestStart() {},
      onResponseStart(_controller, status) {
        if (status !== 200) fail(new Error(`HTTP ${status} to the stream`));
      },
      onResponseData: (_controller, chunk) => read(chunk.toString()),
      onResponseEnd: () => fail(new Error('the stream ended')),
      onResponseError: (_controller, error) => fail(error),
    },
  );

  async function post(path: string, body: string): Promise<void> {
    const headers = { ...target.headers, 'content-type': 'application/json' };
    const { status } = await exchange(sender, { path, method: 'POST', headers, body });
    if (status >= 300) throw new Error(`HTTP ${status} to a post`);
  }

  async function request(path: string, id: number, body: string): Promise<Answer> {
    const waiter = Promise.withResolvers<Answer>();
    waiting.set(id, waiter);
    const timer = setTimeout(() => waiter.reject(new Error('no answer on the stream')), ANSWER_TIMEOUT_MS);
    try {
      const [answer] = await Promise.all([waiter.promise, post(path, body)]);
      return answer;
    } finally {
      clearTimeout(timer);
      waiting.delete(id);
    }
  }

  async function close(): Promise<void> {
    await Promise.all([listener.destroy(), sender.destroy()]);
  }

  try {
    const path = await endpoint.promise;
    resultOf(await request(path, 0, INITIALIZE));
    await post(path, INITIALIZED);
    let lastId = 0;
    return {
      async call(message) {
        lastId += 1;
        return textOf(await request(path, lastId, toolCall(lastId, target.tool, message)));
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
