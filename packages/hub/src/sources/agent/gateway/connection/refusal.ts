/** What a gateway says no with, in our words: what happened, and what to do about it. */
import { PincerError, type ErrorCode } from '../../../../core/errors.ts';

/** `error` of a response. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly details?: { readonly code?: string; readonly requestId?: string; readonly reason?: string };
  readonly retryable?: boolean;
}

interface Explained {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
}

/** To the request to be let in. */
export function connectRefused(refusal: Refusal, how: string): PincerError {
  const { code, message, hint } = explain(refusal, how);
  return new PincerError(code, message, { hint, data: dataOf(refusal) });
}

function explain({ code, message, details }: Refusal, how: string): Explained {
  const said = details?.code ?? code;
  if (said === 'PAIRING_REQUIRED' || code === 'NOT_PAIRED')
    return {
      code: 'SIGN_IN_NEEDED',
      message: 'The gateway of OpenClaw does not know this device yet.',
      hint: `On the gateway's machine run: openclaw devices approve ${details?.requestId ?? '<id of openclaw devices list>'}`,
    };
  if (/DEVICE_TOKEN|SCOPE_MISMATCH|DEVICE_IDENTITY|DEVICE_AUTH/.test(said))
    return {
      code: 'SIGN_IN_NEEDED',
      message: `The gateway of OpenClaw does not take this device: ${message}`,
      hint: "On the gateway's machine run openclaw devices list, and approve Pincer there.",
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

/** To any other request. */
export function requestRefused(method: string, refusal: Refusal): PincerError {
  if (refusal.details?.code === 'MISSING_SCOPE' || /admin scope/.test(refusal.message))
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

const dataOf = ({ code, details, retryable }: Refusal): Readonly<Record<string, unknown>> => ({
  gatewayCode: details?.code ?? details?.reason ?? code,
  ...(retryable !== undefined && { retryable }),
});
