/** Sockets that sign each request with a token, for one origin only. */
import type { Dispatcher, Pool } from 'undici';
import { PincerError } from '../../core/errors.ts';
import type { Log } from '../../core/ports.ts';
import { readChallenge } from '../oauth/discovery/challenge.ts';
import type { ServerTokens } from '../oauth/grants/server-tokens.ts';
import { challengeOf, NotSigned, signInOver } from './http-failure.ts';

export type Sockets = Pick<Pool, 'dispatch' | 'destroy'>;

export interface SignedSocketsParts {
  readonly server: string;
  readonly origin: string;
  readonly pool: Sockets;
  readonly tokens: ServerTokens;
  readonly log: Log;
}

/** A longer 401 body is cut off. */
const MAX_REFUSAL_BYTES = 65_536;
/** One for an expired token, one for a proof that lacked the server's nonce. */
const MAX_REPETITIONS = 2;

type Head = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>;

/** Without a sign-in, requests are sent unsigned. */
export function signSockets({ server, origin, pool, tokens, log }: SignedSocketsParts): Sockets {
  /** The sign-in that the server accepted first, if callers sign in separately; other sign-ins are refused here. */
  let opener: string | undefined;

  function send(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
    left: number,
  ): void {
    const fail = (error: unknown): void =>
      handler.onResponseError?.(NO_CONTROLLER, new NotSigned(PincerError.from(error)));
    const url = origin + options.path;
    tokens.authorize({ method: options.method, url }).then((own) => {
      if (opener !== undefined && own?.signInId !== opener) return fail(signInOver(server));
      if (own === undefined) return void pool.dispatch(options, handler);
      const headers = { ...(options.headers as Record<string, string>), ...own.headers };
      const token = own.headers['authorization']!.split(' ')[1]!;
      const again = (): void => send(options, handler, left - 1);
      const attempt = { token, signInId: own.signInId, fail, again, left };
      pool.dispatch({ ...options, headers }, watching(handler, attempt));
    }, fail);
  }

  interface Attempt {
    readonly token: string;
    readonly signInId: string;
    readonly left: number;
    again(): void;
    fail(error: unknown): void;
  }

  /** After 401 nothing ran: sends the request again with another token. */
  function watching(handler: Dispatcher.DispatchHandler, attempt: Attempt): Dispatcher.DispatchHandler {
    let refusal: Head | undefined;
    let refusalBytes = 0;

    async function renew(head: Head): Promise<void> {
      const [controller, , headers] = head;
      if (await tokens.renew(attempt.token, headers)) return attempt.again();
      handler.onResponseStart?.(...head);
      handler.onResponseEnd?.(controller, {});
    }

    const retryOrPassOn = (head: Head): void => void renew(head).catch(attempt.fail);

    return {
      onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
      onResponseStart(...head) {
        const [, status, headers] = head;
        if (status === 401 && attempt.left > 0) {
          refusal = head;
          return;
        }
        if (status === 403) noteMissingScopes(headers);
        if (tokens.isPerCaller && status >= 200 && status < 300) opener ??= attempt.signInId;
        handler.onResponseStart?.(...head);
      },
      onResponseData(controller, chunk) {
        if (refusal === undefined) return handler.onResponseData?.(controller, chunk);
        refusalBytes += chunk.length;
        if (refusalBytes > MAX_REFUSAL_BYTES) controller.abort(new Error('refused at length'));
      },
      onResponseEnd(controller, trailers) {
        if (refusal === undefined) handler.onResponseEnd?.(controller, trailers);
        else retryOrPassOn(refusal);
      },
      onResponseError(controller, error) {
        if (refusal === undefined) handler.onResponseError?.(controller, error);
        else retryOrPassOn(refusal);
      },
    };
  }

  function noteMissingScopes(headers: Dispatcher.ResponseData['headers']): void {
    const challenge = readChallenge(challengeOf({ headers }));
    if (challenge?.error !== 'insufficient_scope' || challenge.scopes === undefined) return;
    tokens
      .lack(challenge.scopes)
      .catch((error: unknown) =>
        log.warn(`the scopes that "${server}" requires could not be stored`, { error: String(error) }),
      );
  }

  return {
    dispatch(options, handler) {
      if (!tokens.isSignedIn && opener === undefined) return pool.dispatch(options, handler);
      send(options, handler, MAX_REPETITIONS);
      return true;
    },
    destroy: pool.destroy.bind(pool),
  };
}

/** For requests that were never started. */
const NO_CONTROLLER: Dispatcher.DispatchController = {
  aborted: false,
  paused: false,
  reason: null,
  abort: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
};
