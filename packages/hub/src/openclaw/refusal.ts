/** Why a gateway cannot be reached, or refuses a connection or a request, with a hint what to do. */
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
  if (refusal === undefined) return withoutReason('The gateway of OpenClaw did not let us in');
  const { code, message, hint } = explain(refusal, how);
  return new PincerError(code, message, { hint, data: dataOf(refusal) });
}

function explain({ code, message, details }: Refusal, how: string): Explained {
  const said = details.code ?? code;
  if (said === 'PAIRING_REQUIRED' || code === 'NOT_PAIRED')
    return {
      code: 'SIGN_IN_NEEDED',
      message: 'The gateway of OpenClaw does not know this device yet.',
      hint: `On the gateway's machine run: openclaw devices approve ${details.requestId ?? '<id of openclaw devices list>'}`,
    };
  if (said.startsWith('DEVICE_AUTH_SIGNATURE'))
    return {
      code: 'SIGN_IN_NEEDED',
      message: `The gateway of OpenClaw does not take our signature: ${message}`,
      hint: 'Set the clock of both machines. If it stays so, remove device-key-ed25519.json from the state folder: another key is made, and has to be approved.',
    };
  if (/DEVICE_TOKEN|SCOPE_MISMATCH|DEVICE_IDENTITY|DEVICE_AUTH/.test(said))
    return {
      code: 'SIGN_IN_NEEDED',
      message: `The gateway of OpenClaw does not take this device: ${message}`,
      hint: "On the gateway's machine run openclaw devices list, and approve Pincer there.",
    };
  if (said === 'AUTH_RATE_LIMITED')
    return {
      code: 'RATE_LIMITED',
      message: `The gateway of OpenClaw has been asked too often: ${message}`,
      hint: 'Wait a few minutes.',
    };
  if (said.startsWith('AUTH_'))
    return {
      code: 'TOKEN_INVALID',
      message: `The gateway of OpenClaw refused the token or password: ${message}`,
      hint: `It was looked for by way of ${how}. Set OPENCLAW_GATEWAY_TOKEN to gateway.auth.token of the gateway's openclaw.json.`,
    };
  if (/protocol/i.test(said) || /protocol mismatch/i.test(message))
    return {
      code: 'SERVER_PROTOCOL',
      message: `This gateway of OpenClaw speaks another protocol than ours (4): ${message}`,
      hint: 'Update OpenClaw, or Pincer.',
    };
  return {
    code: 'SERVER_UNREACHABLE',
    message: `The gateway of OpenClaw did not let us in: ${message}`,
    hint: 'Run openclaw gateway status.',
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
      `The gateway does not let Pincer use ${method}: ${refusal.message}`,
      {
        hint: "On the gateway's machine run openclaw devices list, and approve Pincer with operator.admin there.",
        data: dataOf(refusal),
      },
    );
  const code = refusal.code === 'UNAVAILABLE' ? 'SERVER_BUSY' : 'TOOL_ERROR';
  return new PincerError(code, `OpenClaw refused: ${refusal.message}`, { data: dataOf(refusal) });
}

const withoutReason = (what: string): PincerError =>
  new PincerError('SERVER_PROTOCOL', `${what}, and did not say why.`, {
    hint: 'Look at openclaw logs.',
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
    return untrusted(url, problem.message, `Somebody may stand between, or it was renewed. ${COMPARE}`);
  const code = problem instanceof Error && 'code' in problem ? String(problem.code) : '';
  if (NOT_TRUSTED.test(code)) return untrusted(url, wordsOf(problem).split(';', 1)[0]!, COMPARE);
  const why = NO_TLS.test(code) ? 'what answers there does not speak TLS' : wordsOf(problem);
  return new PincerError(
    'SERVER_UNREACHABLE',
    `No gateway of OpenClaw answers at ${shownAddress(url)}: ${asSentence(why)}`,
    { hint: `Start it with openclaw gateway run, or set ${setting}.` },
  );
}

function wordsOf(problem: unknown): string {
  // Several addresses of one name were tried. An AggregateError has no message of its own.
  if (problem instanceof AggregateError) return messageOf(problem.errors[0]);
  const isOver = problem === undefined || (problem instanceof Error && problem.name === 'AbortError');
  return isOver ? 'nothing answers there' : messageOf(problem);
}

const NOT_TRUSTED = /CERT|SELF_SIGNED|ISSUER|LEAF|ALTNAME/;
const NO_TLS = /^(?:EPROTO|ERR_SSL_)/;

/** The presented fingerprint is not printed: it may be that of an attacker in between. */
const COMPARE =
  "On the gateway's machine run `openssl x509 -noout -fingerprint -sha256 -in ~/.openclaw/gateway/tls/gateway-cert.pem`, and here `pincer node pair --tls-fingerprint` with what it prints; for orders it goes into gateway.remote.tlsFingerprint of openclaw.json.";

const untrusted = (url: string, why: string, hint: string): PincerError =>
  new PincerError(
    'SERVER_UNREACHABLE',
    `The certificate of ${shownAddress(url)} is not trusted, and nothing was said to it: ${asSentence(why)}`,
    { hint },
  );

/** A URL without query and fragment, which may contain secrets. */
export function shownAddress(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + (pathname === '/' ? '' : pathname);
}
