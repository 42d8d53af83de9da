/** Sockets to a server that wants to know who asks: each request carries what shows it, to that one origin alone. */
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

/** A refusal needs no more words than this. */
const MAX_REFUSAL_BYTES = 65_536;
/** Once for a token that had ended, once for a proof that lacked what the server wants to see in it. */
const MAX_REPETITIONS = 2;

type Head = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>;

/** While nobody has signed in, requests go as they are. */
export function signSockets({ server, origin, pool, tokens, log }: SignedSocketsParts): Sockets {
  /** Whose sign-in the server has accepted here, where it matters: nothing goes with another's, or with none. */
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

  /** 401 means that nothing was done: the same goes once more, with another token. */
  function watching(handler: Dispatcher.DispatchHandler, attempt: Attempt): Dispatcher.DispatchHandler {
    let refusal: Head | undefined;
    let refusalBytes = 0;

    async function renew(head: Head): Promise<void> {
      const [controller, , headers] = head;
      if (await tokens.renew(attempt.token, headers)) return attempt.again();
      handler.onResponseStart?.(...head);
      handler.onResponseEnd?.(controller, {});
    }

    const cure = (head: Head): void => void renew(head).catch(attempt.fail);

    return {
      onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
      onResponseStart(...head) {
        const [, status, headers] = head;
        if (status === 401 && attempt.left > 0) {
          refusal = head;
          return;
        }
        if (status === 403) noteLack(headers);
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
        else cure(refusal);
      },
      onResponseError(controller, error) {
        if (refusal === undefined) handler.onResponseError?.(controller, error);
        else cure(refusal);
      },
    };
  }

  function noteLack(headers: Dispatcher.ResponseData['headers']): void {
    const challenge = readChallenge(challengeOf({ headers }));
    if (challenge?.error !== 'insufficient_scope' || challenge.scopes === undefined) return;
    tokens
      .lack(challenge.scopes)
      .catch((error: unknown) =>
        log.warn(`what "${server}" wants could not be kept`, { error: String(error) }),
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

/** There was no request that could be stopped. */
const NO_CONTROLLER: Dispatcher.DispatchController = {
  aborted: false,
  paused: false,
  reason: null,
  abort: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
};
