import { PincerError } from '../../core/errors.ts';

/** Why a call never left. */
export const notSent = (server: string, cause: PincerError): PincerError =>
  new PincerError(
    cause.code === 'SERVER_BUSY' ? cause.code : 'SERVER_UNREACHABLE',
    `${cause.message} The call was not sent.`,
    {
      hint: cause.hint ?? `Run \`pincer doctor\`, then check servers.${server}.`,
      cause,
    },
  );
