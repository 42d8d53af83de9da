/** What it means for a request that the proxy did not answer it. Pure. */
import { PincerError, type ErrorCode } from '../../core/errors.ts';
import { notExecuted, outcomeUnknown, type Outcome } from '../../core/outcome.ts';
import { inSeconds, retryAfterMs } from '../../sources/remote/http/retry-after.ts';
import { TOKEN_VARIABLE, URL_VARIABLE, type ProxyTarget } from './settings.ts';

export interface AnswerHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

const WHERE = `Is it running? \`pincer up\` and \`pincer proxy\` start it; its address is --proxy-base-url or ${URL_VARIABLE}.`;
const REPEAT = 'Check whether it took effect before you repeat it.';

/** `wasSent`: a connection was there, and the request went into it. */
export function failureOfTransport({ base }: ProxyTarget, error: Error, wasSent: boolean): Outcome {
  const why = (error as NodeJS.ErrnoException).code ?? error.message;
  return wasSent
    ? unknown('SERVER_GONE', `The connection to the proxy broke before the answer (${why}).`, REPEAT, error)
    : notRun('HUB_UNREACHABLE', `The proxy at ${base} cannot be reached (${why}).`, {
        hint: WHERE,
        cause: error,
      });
}

export function failureOfStatus({ base, token }: ProxyTarget, { status, headers }: AnswerHead): Outcome {
  const data = { status };
  if (status >= 200 && status < 300)
    return unknown('SERVER_GONE', 'The proxy ended the stream without an answer.', REPEAT);
  if (status === 401)
    return notRun('TOKEN_INVALID', 'The proxy does not accept the token.', {
      hint: hintOfToken(token),
      data,
    });
  if (status === 404)
    return notRun('SESSION_UNKNOWN', 'The proxy has no such session, or it has expired.', {
      hint: 'Let the app register again, and start `pincer proxy-stdio` with the new id.',
      data,
    });
  if (status === 429 || status === 503) return busy(status, retryAfterMs(headers['retry-after'], Date.now()));
  if (status < 500)
    return notRun('SERVER_UNREACHABLE', `${base} refused the request with HTTP ${status}.`, {
      hint: `Is it the address of the proxy? It is --proxy-base-url or ${URL_VARIABLE}.`,
      data,
    });
  return unknown('SERVER_PROTOCOL', `The proxy failed with HTTP ${status}.`, REPEAT);
}

/** What stands in front of a proxy says 503 of one that took too long; a proxy that is busy says when it will not be. */
function busy(status: number, waitMs: number | undefined): Outcome {
  if (status === 503 && waitMs === undefined)
    return unknown('SERVER_BUSY', 'The proxy is busy (HTTP 503).', REPEAT);
  const hint = waitMs === undefined ? 'Wait a little, then try again.' : `Try again in ${inSeconds(waitMs)}.`;
  const data = { status, ...(waitMs !== undefined && { retryAfterMs: waitMs }) };
  return status === 429
    ? notRun('RATE_LIMITED', 'The proxy is asked too often.', { hint, data })
    : notRun('SERVER_BUSY', 'The proxy is busy.', { hint, data });
}

function hintOfToken(token: string | undefined): string {
  if (token === undefined) return `Set ${TOKEN_VARIABLE}, in the environment or in .env.`;
  // Not every client fills in what its configuration refers to.
  if (token.startsWith('${')) return `${TOKEN_VARIABLE} is "${token}": the client did not fill it in.`;
  return `Check ${TOKEN_VARIABLE}: it is the one that the proxy was started with.`;
}

export const notAMessage = (what: string): Outcome =>
  unknown('SERVER_PROTOCOL', `The proxy answered something that is not MCP: ${what}`, REPEAT);

export const tooLarge = (maxBytes: number): Outcome =>
  unknown(
    'SERVER_PROTOCOL',
    `The proxy answered with more than ${maxBytes} bytes.`,
    'Ask the tool for less.',
  );

const notRun = (
  code: ErrorCode,
  message: string,
  details: ConstructorParameters<typeof PincerError>[2],
): Outcome => notExecuted(new PincerError(code, message, details));

const unknown = (code: ErrorCode, message: string, hint: string, cause?: unknown): Outcome =>
  outcomeUnknown(new PincerError(code, message, { hint, cause }));
