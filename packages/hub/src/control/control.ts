/** The command line's door to the hub, opened by the admin credential of the state folder alone. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ownersHint, PincerError } from '../core/errors.ts';
import { CONTROL_STREAM } from '../core/protocol.ts';
import { fromByteText, type ByteText } from '../core/wire/byte-text.ts';
import type { UnreadRequest } from './bind-routes.ts';
import { statusOf } from './status-of.ts';

/** By method and path: `GET status`. Bodies and answers are JSON. */
export interface ControlActions {
  readonly [route: string]: (request: UnreadRequest) => unknown;
}

const MAX_BODY_BYTES = 1024 * 1024;
const BODY_TIMEOUT_MS = 10_000;

export const CONTROL_PATH = '/control/';

export function createControl(
  actions: ControlActions,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const action = actions[`${request.method} ${url.pathname.slice(CONTROL_PATH.length)}`];
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const answer = request.headers.accept === CONTROL_STREAM ? streamed(response) : plain(response);
    const run = async (body: ByteText): Promise<void> => {
      try {
        if (action === undefined) throw new PincerError('USAGE', 'There is no such control action.');
        const input = { query: url.searchParams, body: body === '' ? undefined : parse(body) };
        answer.end(200, await action({ ...input, signal: gone.signal, tell: answer.tell }));
      } catch (error) {
        const failure = PincerError.from(error);
        const { code, message, data } = failure;
        answer.end(statusOf(code), { error: { code, message, hint: ownersHint(failure), data } });
      }
    };
    readBody(
      request,
      (body) => void run(body),
      (status) => answer.end(status, { error: { message: 'Too large or too slow.' } }),
    );
  };
}

interface AnswerWriter {
  tell(event: object): void;
  end(status: number, value: unknown): void;
}

const plain = (response: ServerResponse): AnswerWriter => ({
  tell: () => undefined,
  end(status, value) {
    response.writeHead(status, ['content-type', 'application/json']).end(JSON.stringify(value ?? null));
  },
});

/** Lines of JSON: `{"event"}` as they come, then `{"status","answer"}`. */
const streamed = (response: ServerResponse): AnswerWriter => ({
  tell(event) {
    if (!response.headersSent) response.writeHead(200, ['content-type', CONTROL_STREAM]);
    response.write(`${JSON.stringify({ event })}\n`);
  },
  end(status, value) {
    if (!response.headersSent) response.writeHead(200, ['content-type', CONTROL_STREAM]);
    response.end(`{"status":${status},"answer":${JSON.stringify(value ?? null)}}\n`);
  },
});

function parse(body: ByteText): unknown {
  try {
    return JSON.parse(fromByteText(body));
  } catch {
    throw new PincerError('USAGE', 'The body is not JSON.');
  }
}

/** Reads a whole body. Calls neither function if the client goes away. */
function readBody(
  request: IncomingMessage,
  onBody: (body: ByteText) => void,
  onRefused: (status: 408 | 413) => void,
): void {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
    onRefused(413);
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => refuse(408), BODY_TIMEOUT_MS);

  function finish(): void {
    clearTimeout(timer);
    request.off('data', onData).off('end', onEnd).off('close', finish);
  }
  function refuse(status: 408 | 413): void {
    finish();
    onRefused(status);
  }
  function onData(chunk: Buffer): void {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) refuse(413);
    else chunks.push(chunk);
  }
  function onEnd(): void {
    finish();
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size);
    onBody(body.toString('latin1'));
  }
  request.on('data', onData).on('end', onEnd).on('close', finish);
}
