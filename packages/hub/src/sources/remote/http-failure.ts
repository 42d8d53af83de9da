/** What an HTTP answer without a JSON-RPC answer in it means for a call. Pure. */
import { PincerError } from '../../core/errors.ts';

export interface HttpFailure {
  /** The server may have acted on the request. */
  readonly wasSent: boolean;
  readonly reason: PincerError;
  /** The protocol session is gone: connect anew. */
  readonly sessionEnded: boolean;
}

export function failureOfStatus(server: string, status: number, hadSession: boolean): HttpFailure {
  // The specification says 404; many servers say 400 to a session that they do not know.
  const sessionEnded = hadSession && (status === 404 || status === 400);
  const reason = new PincerError(
    sessionEnded ? 'SERVER_GONE' : isRefusal(status) ? 'SERVER_UNREACHABLE' : 'SERVER_PROTOCOL',
    sessionEnded ? `Server "${server}" has ended the session.` : `Server "${server}" ${sentence(status)}.`,
    { hint: hint(server, status), data: { status } },
  );
  return { wasSent: !isRefusal(status), reason, sessionEnded };
}

/** Refused before anything ran: who you are, where you knock, how often. */
const isRefusal = (status: number): boolean =>
  [400, 401, 403, 404, 405, 406, 413, 415, 429, 503].includes(status);

const sentence = (status: number): string =>
  status >= 200 && status < 300
    ? 'ended the stream without an answer'
    : `refused the request with HTTP ${status}`;

function hint(server: string, status: number): string | undefined {
  if (status === 401 || status === 403) return `Check servers.${server}.apiKey or its headers.`;
  if (status === 404 || status === 405) return `Check servers.${server}.url: is it the MCP endpoint?`;
  if (status === 429 || status === 503) return 'Wait a little, then try again.';
  return undefined;
}

const NEVER_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

export function failureOfTransport(server: string, error: Error, wasSent: boolean): HttpFailure {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const isSent = wasSent && !NEVER_SENT.has(code);
  const reason = new PincerError(
    isSent ? 'SERVER_GONE' : 'SERVER_UNREACHABLE',
    isSent
      ? `The connection to "${server}" broke before the answer (${code || error.message}).`
      : `Server "${server}" cannot be reached (${code || error.message}).`,
    { hint: isSent ? undefined : `Is it running? Check servers.${server}.url.`, cause: error },
  );
  return { wasSent: isSent, reason, sessionEnded: false };
}

/** The stream of an answer was cut off, and the rest of it cannot be had for this reason. */
export const failureOfRest = (server: string, { reason, sessionEnded }: HttpFailure): HttpFailure => ({
  wasSent: true,
  reason: new PincerError(
    'SERVER_GONE',
    `The connection to "${server}" broke before the answer, and the rest cannot be had: ${reason.message}`,
    { hint: 'Check whether it took effect before you repeat it.', data: reason.data, cause: reason },
  ),
  sessionEnded,
});
