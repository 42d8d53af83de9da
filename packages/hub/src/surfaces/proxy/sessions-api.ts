/** `POST /v1/chat/sessions` and `DELETE /v1/chat/sessions/{id}`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PincerError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';
import { sendError, sendJson } from './answers.ts';
import type { Visitor } from '../../core/app-bridge.ts';
import { readBody } from './read-body.ts';

export interface SessionsApiParts {
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

const JSON_TYPE = /^application\/json *(;|$)/i;

export function createSessionsApi(parts: SessionsApiParts): SessionsApi {
  const { maxRegistrationBytes, bodyTimeoutMs } = parts.limits;

  async function create(request: IncomingMessage, response: ServerResponse, key: Visitor): Promise<void> {
    const body = await readBody(request, { maxBytes: maxRegistrationBytes, timeoutMs: bodyTimeoutMs });
    if (body === undefined) return;
    if (typeof body !== 'string') {
      // What is left of it is not waited for.
      response.setHeader('connection', 'close');
      return sendError(response, badBody(body.reason), body.status);
    }
    const id = parts.register(key, body);
    const address = parts.addressOf(request);
    sendJson(response, 200, {
      mcpSessionId: id,
      bridge_url: `${address.replace(/^http/, 'ws')}/v1/chat/sessions/${id}/bridge`,
      mcp_url: `${address}/v1/mcp/${id}`,
    });
  }

  return {
    create(request, response, key) {
      if (!JSON_TYPE.test(request.headers['content-type'] ?? '')) return sendError(response, NO_JSON, 415);
      create(request, response, key).catch((error: unknown) => sendError(response, PincerError.from(error)));
    },
    remove(response, key, id) {
      try {
        if (parts.remove(key, id)) sendJson(response, 200, { ok: true });
        else sendError(response, NO_SUCH_SESSION);
      } catch (error) {
        sendError(response, PincerError.from(error));
      }
    },
  };
}

const badBody = (reason: string): PincerError =>
  new PincerError('ARGUMENT_INVALID', `body: ${reason}.`, {
    hint: 'Send less at once, or raise limits.maxRegistrationBytes or limits.bodyTimeoutMs.',
  });

const NO_JSON = new PincerError('ARGUMENT_INVALID', 'Content-Type: must be application/json.', {
  hint: 'Send the registration as JSON, and say so.',
});

const NO_SUCH_SESSION = new PincerError('SESSION_UNKNOWN', 'There is no such session, or it has expired.', {
  hint: 'It may have been deleted already.',
});
