/** `POST /v1/chat/sessions` and `DELETE /v1/chat/sessions/{id}`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PincerError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';
import type { Visitor } from '../../core/app-bridge.ts';
import { isJsonType } from '../header.ts';
import type { Answers } from './answers.ts';
import { readBody } from './read-body.ts';
import { badBody, notJson, unknownSession } from './refusals.ts';

export interface SessionsApiParts {
  readonly answers: Answers;
  readonly limits: Pick<Limits, 'maxRegistrationBytes' | 'bodyTimeoutMs'>;
  /** Gives back the id of the new session. Throws what is wrong with the registration. */
  register(key: Visitor, body: ByteText): string;
  /** False: the app has no such session. */
  remove(key: Visitor, id: string): boolean;
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
    const id = parts.register(key, body);
    const address = parts.addressOf(request);
    answers.json(response, 200, {
      mcpSessionId: id,
      bridge_url: `${address.replace(/^http/, 'ws')}/v1/chat/sessions/${id}/bridge`,
      mcp_url: `${address}/v1/mcp/${id}`,
    });
  }

  return {
    create(request, response, key) {
      if (!isJsonType(request.headers['content-type'])) return answers.error(response, notJson(), 415);
      create(request, response, key).catch((error: unknown) =>
        answers.error(response, PincerError.from(error)),
      );
    },
    remove(response, key, id) {
      try {
        if (parts.remove(key, id)) answers.json(response, 200, { ok: true });
        else answers.error(response, unknownSession());
      } catch (error) {
        answers.error(response, PincerError.from(error));
      }
    },
  };
}
