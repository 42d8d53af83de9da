/** The two transports to the hub for a client that writes and reads every message itself, several at once. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'undici';
import { createLineReader } from '../../servers/transports/lines.ts';
import type { Headers } from '../messages.ts';
import type { Program } from '../stdio.ts';

export interface MessageListener {
  /** Receives a whole message and the stream that carried it. */
  receive(text: string, stream: string): void;
  /** A stream has ended. */
  ended(stream: string, why: string): void;
}

export interface Sent {
  stream: string;
  /** Aborts the stream, if it belongs to this message alone. */
  abort(): void;
  /** Response headers; empty on a pipe. */
  headers: Promise<Headers>;
}

export interface Wire extends AsyncDisposable {
  kind: 'http' | 'stdio';
  send(text: string, headers?: Headers): Sent;
  /** Opens the session's GET stream for messages that belong to no call. */
  listen(headers: Headers): Promise<void>;
  /** Closes and waits; over HTTP, ends the session. */
  end(headers: Headers): Promise<void>;
}

export function httpWire(origin: string, token: string, listener: MessageListener): Wire {
  const agent = new Agent({ bodyTimeout: 0, headersTimeout: 0 });
  const controllers = new Set<AbortController>();
  const usual = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  let streams = 0;

  function exchange(method: 'GET' | 'POST' | 'DELETE', body: string | null, headers: Headers = {}): Sent {
    const stream = `${method} ${++streams}`;
    const controller = new AbortController();
    controllers.add(controller);
    const run = async (told: (headers: Headers) => void): Promise<string> => {
      const response = await request(`${origin}/mcp`, {
        method,
        body,
        headers: { ...usual, ...headers },
        dispatcher: agent,
        signal: controller.signal,
      });
      told(response.headers as Headers);
      const isStream = String(response.headers['content-type']).startsWith('text/event-stream');
      let text = '';
      const onLine = createLineReader((line) => {
        if (line.startsWith('data: ') && line.length > 6) listener.receive(line.slice(6), stream);
      });
      for await (const chunk of response.body) {
        if (isStream) onLine(chunk as Buffer);
        else text += String(chunk);
      }
      if (text !== '') listener.receive(text, stream);
      return `HTTP ${response.statusCode}`;
    };
    const told = Promise.withResolvers<Headers>();
    told.promise.catch(() => undefined);
    run(told.resolve)
      .catch((error: unknown) => {
        told.reject(error);
        return String(error);
      })
      .then((why) => {
        controllers.delete(controller);
        listener.ended(stream, why);
      })
      .catch((error: unknown) => listener.ended(stream, `the test failed: ${String(error)}`));
    return { stream, abort: () => controller.abort(), headers: told.promise };
  }

  return {
    kind: 'http',
    send: (text, headers) => exchange('POST', text, headers),
    async listen(headers) {
      await exchange('GET', null, headers).headers;
    },
    async end(headers) {
      if ('mcp-session-id' in headers) await exchange('DELETE', null, headers).headers;
    },
    async [Symbol.asyncDispose]() {
      for (const controller of controllers) controller.abort();
      await agent.destroy();
    },
  };
}

export function stdioWire({ command, args, env }: Program, listener: MessageListener): Wire {
  const child = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  });
  const exited = once(child, 'exit').then(([code]) => listener.ended('pipe', `exit code ${String(code)}`));
  child.stdin.on('error', () => undefined);
  child.stdout.on(
    'data',
    createLineReader((line) => listener.receive(line, 'pipe')),
  );
  return {
    kind: 'stdio',
    send(text) {
      child.stdin.write(`${text}\n`);
      return { stream: 'pipe', abort: () => undefined, headers: Promise.resolve({}) };
    },
    listen: async () => undefined,
    async end() {
      child.stdin.end();
      await exited;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
