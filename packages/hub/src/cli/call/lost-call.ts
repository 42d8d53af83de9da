/** A call that got no answer, and what that means for whoever would repeat it. */
import { PincerError } from '../../core/errors.ts';
import { parseBytes, type ByteText } from '../../core/wire/byte-text.ts';

const NEVER_RAN = { outcome: 'not_executed' };
const MAY_HAVE_RUN = { outcome: 'outcome_unknown' };
const LOOK_FIRST = 'It may have run: look before you repeat it.';

interface Lost {
  readonly server: string;
  readonly tool: string;
  readonly timeoutMs: number | undefined;
}

export function lostCall(error: unknown, call: Lost): PincerError {
  const { code, message, hint, data } = PincerError.from(error);
  if (code === 'CALL_TIMEOUT') return lateCall(call, MAY_HAVE_RUN);
  if (code === 'HUB_UNREACHABLE' && data?.['sent'] !== false)
    return new PincerError(code, message, { hint: LOOK_FIRST, data: MAY_HAVE_RUN });
  return new PincerError(code, message, { hint, data: NEVER_RAN, cause: error });
}

/** What the hub says of a call whose time was over; any other failure as it is. */
export function cancelledCall(failure: PincerError, call: Lost): PincerError {
  if (call.timeoutMs === undefined || failure.code !== 'CALL_CANCELLED') return failure;
  return lateCall(call, failure.data?.['outcome'] === 'not_executed' ? NEVER_RAN : MAY_HAVE_RUN);
}

function lateCall({ server, tool, timeoutMs }: Lost, data: { outcome: string }): PincerError {
  const text = `${server}.${tool} was cancelled: no answer within ${timeoutMs} ms.`;
  return data === NEVER_RAN
    ? new PincerError('CALL_TIMEOUT', `${text} It was not run.`, {
        hint: 'Give it more time: --timeout',
        data,
      })
    : new PincerError('CALL_TIMEOUT', text, { hint: LOOK_FIRST, data });
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
