/** Telegram's Bot API on loopback, as far as OpenClaw's channel uses it: people write to the bot, and it answers. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { isObject, type JsonObject } from '../../servers/json.ts';
import { eventually } from '../processes.ts';

export interface Telegram extends AsyncDisposable {
  /** `channels.telegram` of a profile that uses this bot. */
  channel(allowed: readonly number[]): object;
  /** Resolves when OpenClaw polls for messages. */
  whenHeard(): Promise<void>;
  /** All messages of the bot. */
  readonly sent: readonly { readonly to: number; readonly text: string }[];
  /** Sends a message to the bot and returns its reply. */
  write(person: number, text: string): Promise<string>;
}

const BOT = { id: 42, is_bot: true, first_name: 'Bot', username: 'scratch_bot' };
/** Timeout for a hang. */
const WAIT_MS = 60_000;
const POLL_MS = 1_000;

export async function startTelegram(): Promise<Telegram> {
  const updates: JsonObject[] = [];
  const sent: { to: number; text: string }[] = [];
  const polling = new Set<() => void>();
  let lastId = 100;
  let wasHeard = false;

  function poll(offset: number, reply: (result: unknown) => void): void {
    wasHeard = true;
    const fresh = () => updates.filter((update) => Number(update['update_id']) >= offset);
    if (fresh().length > 0) return reply(fresh());
    const end = (): void => {
      clearTimeout(timer);
      polling.delete(end);
      reply(fresh());
    };
    const timer = setTimeout(end, POLL_MS);
    polling.add(end);
  }

  function answer(method: string, params: JsonObject, reply: (result: unknown) => void): void {
    if (method === 'getMe') return reply(BOT);
    if (method === 'getUpdates') return poll(Number(params['offset'] ?? 0), reply);
    if (method !== 'sendMessage') return reply(true);
    const to = Number(params['chat_id']);
    const text = typeof params['text'] === 'string' ? params['text'] : '';
    sent.push({ to, text });
    reply({ message_id: ++lastId, date: 1, chat: { id: to, type: 'private' }, text });
  }

  const server = createServer((request, response: ServerResponse) => {
    const method = new URL(request.url ?? '', 'http://telegram').pathname.split('/').at(-1)!;
    const reply = (result: unknown): void =>
      void response.setHeader('content-type', 'application/json').end(JSON.stringify({ ok: true, result }));
    const body = json(request).catch(() => ({}));
    void body.then((params) => answer(method, isObject(params) ? params : {}, reply));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const apiRoot = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    sent,
    channel: (allowed) => ({
      enabled: true,
      botToken: '42:scratch',
      apiRoot,
      dmPolicy: 'allowlist',
      allowFrom: allowed.map(String),
      network: { dangerouslyAllowPrivateNetwork: true },
    }),
    async whenHeard() {
      if (!(await eventually(() => wasHeard, WAIT_MS, 100))) throw new Error('OpenClaw does not listen.');
    },
    async write(person, text) {
      const from = { id: person, is_bot: false, first_name: `Person ${person}` };
      const chat = { id: person, type: 'private', first_name: from.first_name };
      const date = Math.floor(Date.now() / 1_000);
      const before = sent.length;
      updates.push({ update_id: ++lastId, message: { message_id: ++lastId, date, from, chat, text } });
      for (const end of polling) end();
      const answers = () => sent.slice(before).filter(({ to }) => to === person);
      await eventually(() => answers().length > 0, WAIT_MS, 100);
      return answers()
        .map((each) => each.text)
        .join('\n');
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
