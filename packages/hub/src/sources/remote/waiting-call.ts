import { PincerError } from '../../core/errors.ts';
import { notExecuted } from '../../core/outcome.ts';
import type { Exchange, Running, ToolRequest } from '../../core/request.ts';
import type { Connection } from './connection.ts';

/** A call whose connection has to be opened first. Until it is, cancelling it costs nothing. */
export function waitThenCall(
  open: () => Promise<Connection>,
  request: ToolRequest,
  exchange: Exchange,
  server: string,
): Running {
  let running: Running | undefined;
  let ended = false;
  const end = (reason: PincerError): void => {
    ended = true;
    exchange.settle(notExecuted(reason));
  };
  open().then(
    (connection) => {
      if (!ended) running = connection.call(request, exchange);
    },
    (error: unknown) => {
      if (!ended) end(notSent(server, PincerError.from(error)));
    },
  );
  return {
    cancel(reason) {
      if (running !== undefined) return running.cancel(reason);
      if (!ended) end(new PincerError('CALL_CANCELLED', `Cancelled before it was sent: ${reason}.`));
    },
  };
}

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
