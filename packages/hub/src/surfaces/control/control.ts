/** The command line's door to the hub, opened by the admin credential of the state folder alone. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ownersHint, PincerError } from '../../core/errors.ts';
import { fromByteText, type ByteText } from '../../core/wire/byte-text.ts';
import { readBody } from './body.ts';
import { statusOf } from './status-of.ts';

/** What the hub lets an administrator do. Bodies and answers are JSON. */
export interface ControlActions {
  readonly [route: `${'GET' | 'POST' | 'DELETE'} ${string}`]: (input: ControlInput) => unknown;
}

export interface ControlInput {
  readonly query: URLSearchParams;
  readonly body: unknown;
}

const BODY_LIMITS = { maxMessageBytes: 1024 * 1024, bodyTimeoutMs: 10_000 };

export const CONTROL_PATH = '/control/';

export function createControl(
  actions: ControlActions,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const action = actions[`${request.method as 'GET'} ${url.pathname.slice(CONTROL_PATH.length)}`];
    const respond = (status: number, value: unknown): void => {
      const text = JSON.stringify(value ?? null);
      response.writeHead(status, ['content-type', 'application/json']).end(text);
    };
    const run = async (body: ByteText): Promise<void> => {
      try {
        if (action === undefined) throw new PincerError('USAGE', 'There is no such control action.');
        respond(200, await action({ query: url.searchParams, body: body === '' ? undefined : parse(body) }));
      } catch (error) {
        const failure = PincerError.from(error);
        const { code, message, data } = failure;
        respond(statusOf(code), { error: { code, message, hint: ownersHint(failure), data } });
      }
    };
    readBody(
      request,
      BODY_LIMITS,
      (body) => void run(body),
      (status) => respond(status, { error: { message: 'Too large or too slow.' } }),
    );
  };
}

function parse(body: ByteText): unknown {
  try {
    return JSON.parse(fromByteText(body));
  } catch {
    throw new PincerError('USAGE', 'The body is not JSON.');
  }
}
