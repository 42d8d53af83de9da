/** Explains why a gateway cannot be reached, or refuses a connection or a request, with a hint. */
import { messageOf, PincerError, type ErrorCode } from '../core/errors.ts';
import { asSentence } from '../lib/text.ts';
import { isRecord, textAt } from '../lib/record.ts';

/** `error` of a response. */
interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly details: { readonly [K in 'code' | 'requestId' | 'reason']?: string | undefined };
  readonly retryable?: boolean | undefined;
}

/** Returns undefined if the gateway gives no reason. */
function readRefusal(error: unknown): Refusal | undefined {
  if (!isRecord(error)) return undefined;
  const details = isRecord(error['details']) ? error['details'] : {};
  const code = textAt(error, 'code') ?? textAt(details, 'code');
  const message = textAt(error, 'message') ?? code;
  if (message === undefined) return undefined;
  return {
    code: code ?? 'UNKNOWN',
    message: asSentence(message),
    details: {
      code: textAt(details, 'code'),
      requestId: requestIdIn(details, 'requestId'),
      reason: textAt(details, 'reason'),
    },
    retryable: typeof error['retryable'] === 'boolean' ? error['retryable'] : undefined,
  };
}

/** OpenClaw's request ids. Anything else must not become part of a command that a person is told to run. */
const REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

export function requestIdIn(value: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const id = textAt(value, key);
  return id !== undefined && REQUEST_ID.test(id) ? id : undefined;
}

interface Explained {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
}

/** The error for a refused `connect`. */
export function connectRefused(error: unknown, how: string): PincerError {
  const refusal = readRefusal(error);
  if (refusal === undefined) return withoutReason('The gateway of OpenClaw refused the connection');
  const { code, message, hint } = explain(refusal, how);
  return new PincerError(code, message, { hint, data: dataOf(refusal) });
}

function explain({ code, message, details }: Refusal, how: string): Explained {
  const reason = details.code ?? code;
  if (reason === 'PAIRING_REQUIRED' || code === 'NOT_PAIRED')
    return {
      code: 'SIGN_IN_NEEDED',
      message: 'The gateway of OpenClaw does not know this device yet.',
      hint: `On the gateway's machine run: openclaw devices approve ${details.requestId ?? '<id of openclaw devices list>'}`,
    };
  if (reason.startsWith('DEVICE_AUTH_SIGNATURE'))
    return {
      code: 'SIGN_IN_NEEDED',
      message: `The gateway of OpenClaw rejects the signature of this device: ${message}`,
      hint: 'Check the clocks of both machines. If that does not help, remove device-key-ed25519.json from the state folder: Pincer creates a new key, which has to be approved.',
    };
  if (/DEVICE_TOKEN|SCOPE_MISMATCH|DEVICE_IDENTITY|DEVICE_AUTH/.test(reason))
    return {
      code: 'SIGN_IN_NEEDED',
      message: `The gateway of OpenClaw rejects this device: ${message}`,
      hint: "On the gateway's machine approve Pincer: openclaw devices list, then openclaw devices approve <id>",
    };
  if (reason === 'AUTH_RATE_LIMITED')
    return {
      code: 'RATE_LIMITED',
      message: `Too many requests to the gateway of OpenClaw: ${message}`,
      hint: 'Wait a few minutes.',
    };
  if (reason.startsWith('AUTH_'))
    return {
      code: 'TOKEN_INVALID',
      message: `The gateway of OpenClaw refused the token or password: ${message}`,
      hint: `The gateway was found by ${how}. Set OPENCLAW_GATEWAY_TOKEN to gateway.auth.token of the gateway's openclaw.json.`,
    };
  if (/protocol/i.test(reason) || /protocol mismatch/i.test(message))
    return {
      code: 'SERVER_PROTOCOL',
      message: `This gateway of OpenClaw does not support protocol 4: ${message}`,
      hint: 'Update OpenClaw or Pincer.',
    };
  return {
    code: 'SERVER_UNREACHABLE',
    message: `The gateway of OpenClaw refused the connection: ${message}`,
    hint: 'Run: openclaw gateway status',
  };
}

/** Whether the gateway refused the token, and not the signature, the clock or the rate. */
export const isTokenRefused = (error: unknown): boolean =>
  PincerError.is(error) && REFUSED.has(error.code) && !OTHER_REASON.test(String(error.data?.['gatewayCode']));

const REFUSED: ReadonlySet<ErrorCode> = new Set(['SIGN_IN_NEEDED', 'TOKEN_INVALID']);
const OTHER_REASON = /^DEVICE_(?:AUTH|IDENTITY)/;

/** The error for any other refused request. */
export function requestRefused(method: string, error: unknown): PincerError {
  const refusal = readRefusal(error);
  if (refusal === undefined) return withoutReason(`OpenClaw refused ${method}`);
  if (refusal.details.code === 'MISSING_SCOPE' || /admin scope/.test(refusal.message))
    return new PincerError(
      'SIGN_IN_NEEDED',
      `The gateway does not allow Pincer to use ${method}: ${refusal.message}`,
      {
        hint: "On the gateway's machine approve Pincer with operator.admin: openclaw devices list",
        data: dataOf(refusal),
      },
    );
  const code = refusal.code === 'UNAVAILABLE' ? 'SERVER_BUSY' : 'TOOL_ERROR';
  return new PincerError(code, `OpenClaw refused: ${refusal.message}`, { data: dataOf(refusal) });
}

const withoutReason = (what: string): PincerError =>
  new PincerError('SERVER_PROTOCOL', `${what} without a reason.`, {
    hint: 'Run: openclaw logs',
    data: { gatewayCode: 'UNKNOWN' },
  });

const dataOf = ({ code, details, retryable }: Refusal): Readonly<Record<string, unknown>> => ({
  gatewayCode: details.code ?? details.reason ?? code,
  ...(details.requestId !== undefined && { requestId: details.requestId }),
  ...(details.reason !== undefined && { reason: details.reason }),
  ...(retryable !== undefined && { retryable }),
});

/** The certificate is not the configured one. */
export class OtherCertificateError extends Error {}

/** The error for a gateway without a connection. `setting` names the gateway. */
export function notReached(url: string, problem: unknown, setting: string): PincerError {
  if (problem instanceof OtherCertificateError)
    return untrusted(
      url,
      problem.message,
      `Another machine may intercept the connection, or the certificate was renewed. ${COMPARE}`,
    );
  const code = problem instanceof Error && 'code' in problem ? String(problem.code) : '';
  if (NOT_TRUSTED.test(code)) return untrusted(url, wordsOf(problem).split(';', 1)[0]!, COMPARE);
  const why = NO_TLS.test(code) ? 'the server does not speak TLS' : wordsOf(problem);
  return new PincerError(
    'SERVER_UNREACHABLE',
    `No gateway of OpenClaw answers at ${shownAddress(url)}: ${asSentence(why)}`,
    { hint: `Start it (openclaw gateway run), or set ${setting}.` },
  );
}

function wordsOf(problem: unknown): string {
  // Several addresses of one name were tried. An AggregateError has no message of its own.
  if (problem instanceof AggregateError) return messageOf(problem.errors[0]);
  const isOver = problem === undefined || (problem instanceof Error && problem.name === 'AbortError');
  return isOver ? 'no answer' : messageOf(problem);
}

const NOT_TRUSTED = /CERT|SELF_SIGNED|ISSUER|LEAF|ALTNAME/;
const NO_TLS = /^(?:EPROTO|ERR_SSL_)/;

/** The presented fingerprint is not printed: it may be that of an attacker in between. */
const COMPARE =
  "On the gateway's machine run `openssl x509 -noout -fingerprint -sha256 -in ~/.openclaw/gateway/tls/gateway-cert.pem`, and here `pincer node pair --tls-fingerprint <its output>`. For orders, set gateway.remote.tlsFingerprint in openclaw.json.";

const untrusted = (url: string, why: string, hint: string): PincerError =>
  new PincerError(
    'SERVER_UNREACHABLE',
    `The certificate of ${shownAddress(url)} is not trusted, and nothing was sent: ${asSentence(why)}`,
    { hint },
  );

/** A URL without query and fragment, which may contain secrets. */
export function shownAddress(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + (pathname === '/' ? '' : pathname);
}
