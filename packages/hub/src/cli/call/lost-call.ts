/** A call that got no answer, and what that means for whoever would repeat it. */
import { PincerError } from '../../core/errors.ts';
import { parseBytes, type ByteText } from '../../core/wire/byte-text.ts';

const NEVER_RAN = { outcome: 'not_executed' };
const MAY_HAVE_RUN = { outcome: 'outcome_unknown' };
const LOOK_FIRST = 'It may have run: look before you repeat it.';

export function lostCall(error: unknown, { server, tool }: { server: string; tool: string }): PincerError {
  const { code, message, hint, data } = PincerError.from(error);
  if (code === 'CALL_TIMEOUT')
    return new PincerError(code, `${server}.${tool} was cancelled: ${message}`, {
      hint: LOOK_FIRST,
      data: MAY_HAVE_RUN,
    });
  if (code === 'HUB_UNREACHABLE' && data?.['sent'] !== false)
    return new PincerError(code, message, { hint: LOOK_FIRST, data: MAY_HAVE_RUN });
  return new PincerError(code, message, { hint, data: NEVER_RAN, cause: error });
}

/** The hub's own refusal, before it looked at the tool. */
export function refusedCall(status: number, body: ByteText): PincerError {
  const isBusy = status === 503;
  return new PincerError(isBusy ? 'SERVER_BUSY' : 'INTERNAL', refusalText(status, body), {
    hint: isBusy ? 'Wait a little, then try again.' : undefined,
    data: NEVER_RAN,
  });
}

function refusalText(status: number, body: ByteText): string {
  try {
    return (parseBytes(body) as { error: { message: string } }).error.message;
  } catch {
    return `The hub refused the call with HTTP ${status}.`;
  }
}
