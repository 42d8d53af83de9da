import { PincerError, type ErrorCode } from '../core/errors.ts';

/** What says more than that the server cannot be had. */
const KEPT: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['SCOPE_NEEDED', 'SERVER_BUSY', 'SIGN_IN_NEEDED']);

const retryAfterOf = ({ data }: PincerError): { retryAfterMs: unknown } | undefined =>
  data?.['retryAfterMs'] === undefined ? undefined : { retryAfterMs: data['retryAfterMs'] };

/** Why a call never left. */
export const notSent = (server: string, cause: PincerError): PincerError =>
  new PincerError(
    KEPT.has(cause.code) ? cause.code : 'SERVER_UNREACHABLE',
    `${cause.message} The call was not sent.`,
    {
      hint: cause.hint ?? `Run \`pincer doctor\`, then check servers.${server}.`,
      data: retryAfterOf(cause),
      cause,
    },
  );
