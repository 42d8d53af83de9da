import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { startHub, type TestHub } from '../kit/hub.ts';
import type { Connection } from '../kit/http.ts';
import {
  callText,
  INITIALIZE,
  LEGACY,
  modernHeaders,
  parseAnswer,
  textOf,
  type Headers,
} from '../kit/messages.ts';
import { httpServer, stdioServer } from '../kit/servers.ts';
import type { Era } from '../servers/flags.ts';
import { startHttpServer } from '../servers/start.ts';

const CALLS = 100_000;
const HTTP_CLIENTS = 64;
const STDIO_CLIENTS = 4;
const EACH = Math.ceil(CALLS / (HTTP_CLIENTS + STDIO_CLIENTS));
/** Calls that a stdio client has in flight at once. */
const WINDOW = 8;
const TOOLS = ['pipe__echo', 'web__echo'];

/** Sends its own messages and checks the answers. */
interface Asker {
  ask(id: number): Promise<string>;
}

async function openHttp(connection: Connection, kind: 'session' | 'bare' | 'modern'): Promise<Asker> {
  const secret = randomBytes(16).toString('hex');
  const era: Era = kind === 'modern' ? 'modern' : 'legacy';
  let headers: Headers = {};
  if (kind === 'session') {
    const begun = await connection.post(INITIALIZE);
    headers = { 'mcp-session-id': String(begun.headers['mcp-session-id']), 'mcp-protocol-version': LEGACY };
  }
  return {
    async ask(id) {
      const tool = TOOLS[id % 2]!;
      const message = `${secret} ${id}`;
      const body = callText(tool, { era, id: String(id), args: JSON.stringify({ message }) });
      const own = era === 'modern' ? modernHeaders('tools/call', tool) : headers;
      const { messages } = await connection.post(body, { headers: own });
      return verdict(messages, id, message);
    },
  };
}

function openStdio(hub: TestHub, era: Era): Asker {
  const secret = randomBytes(16).toString('hex');
  const client = hub.stdio();
  return {
    async ask(id) {
      const message = `${secret} ${id}`;
      const args = JSON.stringify({ message });
      return verdict(
        [await client.ask(callText(TOOLS[id % 2]!, { era, id: String(id), args }))],
        id,
        message,
      );
    },
  };
}

function verdict(messages: string[], id: number, message: string): string {
  if (messages.length !== 1) return `${messages.length} messages`;
  const answer = parseAnswer(messages[0]!);
  return answer.id === id && textOf(answer) === message ? 'right' : `wrong: ${messages[0]}`;
}

/** Sends every id from 0 on, at most `atOnce` at a time. Counts each verdict. */
async function run(asker: Asker, atOnce: number, verdicts: Map<string, number>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < EACH) {
      const found = await asker.ask(next++);
      verdicts.set(found, (verdicts.get(found) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

describe('many clients that use the same ids', () => {
  it('each get all of their own answers, once', async () => {
    await using web = await startHttpServer({ name: 'web', tools: ['echo'], response: 'json' });
    await using hub = await startHub({
      servers: { pipe: stdioServer({ tools: ['echo'] }), web: httpServer(web.url) },
    });
    const tokens = [hub.token];
    for (const name of ['one', 'two', 'three']) {
      const { value } = await hub.control('POST', 'tokens', { name });
      tokens.push((value as { token: string }).token);
    }
    const kinds = Array.from({ length: HTTP_CLIENTS }, (_, index) =>
      index % 8 === 6 ? 'bare' : index % 8 === 7 ? 'modern' : 'session',
    );
    const http = await Promise.all(
      kinds.map((kind, index) => openHttp(hub.connect(tokens[index % tokens.length]), kind)),
    );
    const stdio = Array.from({ length: STDIO_CLIENTS }, (_, index) =>
      openStdio(hub, index % 2 === 0 ? 'legacy' : 'modern'),
    );
    const verdicts = new Map<string, number>();
    await Promise.all([
      ...http.map((asker) => run(asker, 1, verdicts)),
      ...stdio.map((asker) => run(asker, WINDOW, verdicts)),
    ]);
    const all = EACH * (HTTP_CLIENTS + STDIO_CLIENTS);
    expect(all).toBeGreaterThanOrEqual(CALLS);
    expect(Object.fromEntries(verdicts)).toEqual({ right: all });

    const { body } = await hub.post('', { path: '/metrics', method: 'GET' });
    const counted = [...body.matchAll(/^pincer_calls_total\{[^}]*\} (\d+)$/gm)].map(([line, count]) =>
      line.includes('outcome="ok"') ? Number(count) : -Number(count),
    );
    expect(counted.reduce((sum, count) => sum + count, 0)).toBe(all);
  });
});
