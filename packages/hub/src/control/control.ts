/** The HTTP handler of the control API. Only the admin credential of the state folder is accepted for it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorCode, ownersHint, PincerError } from '../core/errors.ts';
import { CONTROL_STREAM } from '../core/protocol.ts';
import { type ByteText, fromByteText } from '../core/wire/byte-text.ts';
import type { BoundRoutes } from './bind-routes.ts';
import type { ControlFailure, ControlRoute } from './contract/contract.ts';

const MAX_BODY_BYTES = 1024 * 1024;
const BODY_TIMEOUT_MS = 10_000;

export const CONTROL_PATH = '/control/';

/** Bodies and answers are JSON. A request for a route without an action fails. */
export function createControl(
  actions: Partial<BoundRoutes<ControlRoute>>,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    // Method and path may be any text. Without a matching route there is no action.
    const route = `${request.method} ${url.pathname.slice(CONTROL_PATH.length)}` as ControlRoute;
    const action = actions[route];
    const closed = new AbortController();
    response.once('close', () => closed.abort());
    const answer = request.headers.accept === CONTROL_STREAM ? streamed(response) : plain(response);
    const run = async (body: ByteText): Promise<void> => {
      try {
        if (action === undefined) throw new PincerError('USAGE', 'There is no such control action.');
        const input = { query: url.searchParams, body: body === '' ? undefined : parse(body) };
        answer.end(await action({ ...input, signal: closed.signal, tell: answer.tell }));
      } catch (error) {
        const failure = PincerError.from(error);
        const { code, message, data } = failure;
        answer.fail(statusOf(code), { error: { code, message, hint: ownersHint(failure), data } });
      }
    };
    readBody(
      request,
      (body) => void run(body),
      (status) => answer.fail(status, { error: { message: 'The body is too large, or took too long.' } }),
    );
  };
}

interface AnswerWriter {
  tell(event: object): void;
  end(value: unknown): void;
  fail(status: number, failure: ControlFailure): void;
}

function plain(response: ServerResponse): AnswerWriter {
  const end = (status: number, value: unknown): void =>
    void response.writeHead(status, ['content-type', 'application/json']).end(JSON.stringify(value ?? null));
  return { tell: () => undefined, end: (value) => end(200, value), fail: end };
}

/** Lines of JSON: `{"event"}` as they come, then `{"status","answer"}`. */
function streamed(response: ServerResponse): AnswerWriter {
  const begin = (): void => {
    if (!response.headersSent) response.writeHead(200, ['content-type', CONTROL_STREAM]);
  };
  const end = (status: number, value: unknown): void => {
    begin();
    response.end(`{"status":${status},"answer":${JSON.stringify(value ?? null)}}\n`);
  };
  return {
    tell(event) {
      begin();
      response.write(`${JSON.stringify({ event })}\n`);
    },
    end: (value) => end(200, value),
    fail: end,
  };
}

function parse(body: ByteText): unknown {
  try {
    return JSON.parse(fromByteText(body));
  } catch {
    throw new PincerError('USAGE', 'The body is not JSON.');
  }
}

/** Reads a whole body. Calls neither function if the client disconnects. */
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

/** The HTTP status of a failed control action. */
export function statusOf(code: ErrorCode): number {
  if (code === 'INTERNAL') return 500;
  if (code === 'SERVER_UNKNOWN' || code === 'TOOL_UNKNOWN') return 404;
  if (code === 'SERVER_EXISTS' || code === 'HUB_RUNNING') return 409;
  return 422;
}
