/** `POST /v1/chat/sessions` and `DELETE /v1/chat/sessions/{id}`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PincerError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';
import type { Visitor } from '../../core/app-bridge.ts';
import { isJsonType } from '../../http/header.ts';
import type { Answers } from './answers.ts';
import { badBody, notJson, unknownSession } from './refusals.ts';

export interface SessionsApiParts {
  readonly answers: Answers;
  readonly limits: Pick<Limits, 'maxRegistrationBytes' | 'bodyTimeoutMs'>;
  /** Resolves to the id of the new session. Rejects with what is wrong with the registration. */
  register(key: Visitor, body: ByteText): Promise<string>;
  /** False: the app has no such session. */
  remove(key: Visitor, id: string): Promise<boolean>;
  /** Where the request came to, as the app can reach it: `http://host:port`. */
  addressOf(request: IncomingMessage): string;
}

export interface SessionsApi {
  create(request: IncomingMessage, response: ServerResponse, key: Visitor): void;
  remove(response: ServerResponse, key: Visitor, id: string): void;
}

export function createSessionsApi(parts: SessionsApiParts): SessionsApi {
  const { answers } = parts;
  const { maxRegistrationBytes, bodyTimeoutMs } = parts.limits;

  async function create(request: IncomingMessage, response: ServerResponse, key: Visitor): Promise<void> {
    const body = await readBody(request, { maxBytes: maxRegistrationBytes, timeoutMs: bodyTimeoutMs });
    if (body === undefined) return;
    if (typeof body !== 'string') {
      // What is left of it is not waited for.
      response.setHeader('connection', 'close');
      return answers.error(response, badBody(body.reason), body.status);
    }
    const id = await parts.register(key, body);
    const address = parts.addressOf(request);
    answers.json(response, 200, {
      mcpSessionId: id,
      bridge_url: `${address.replace(/^http/, 'ws')}/v1/chat/sessions/${id}/bridge`,
      mcp_url: `${address}/v1/mcp/${id}`,
    });
  }

  async function remove(response: ServerResponse, key: Visitor, id: string): Promise<void> {
    if (await parts.remove(key, id)) answers.json(response, 200, { ok: true });
    else answers.error(response, unknownSession());
  }

  return {
    create(request, response, key) {
      if (!isJsonType(request.headers['content-type'])) return answers.error(response, notJson(), 415);
      create(request, response, key).catch((error: unknown) =>
        answers.error(response, PincerError.from(error)),
      );
    },
    remove(response, key, id) {
      remove(response, key, id).catch((error: unknown) => answers.error(response, PincerError.from(error)));
    },
  };
}

/** Why a body was not read. */
interface BodyRefusal {
  readonly status: 408 | 413;
  /** Goes on after `The body`. */
  readonly reason: string;
}

interface BodyLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** Undefined: whoever sent it has gone. */
function readBody(
  request: IncomingMessage,
  { maxBytes, timeoutMs }: BodyLimits,
): Promise<ByteText | BodyRefusal | undefined> {
  const tooLarge: BodyRefusal = { status: 413, reason: `has more than ${maxBytes} bytes` };
  if (Number(request.headers['content-length']) > maxBytes) return Promise.resolve(tooLarge);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => resolve({ status: 408, reason: 'took too long to arrive' }), timeoutMs);
    const end = (read: ByteText | BodyRefusal | undefined): void => {
      clearTimeout(timer);
      resolve(read);
    };
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) end(tooLarge);
      else chunks.push(chunk);
    });
    request.on('end', () => end(Buffer.concat(chunks).toString('latin1')));
    request.on('close', () => end(undefined));
  });
}
