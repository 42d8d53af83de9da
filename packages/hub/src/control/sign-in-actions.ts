/** Routes for signing in to servers, used by the command line and `/mcp auth`. */
import { LOCAL_CALLER } from '../core/caller.ts';
import { PincerError } from '../core/errors.ts';
import { within } from '../lib/time.ts';
import { bindRoutes } from './bind-routes.ts';
import type { SignedIn, SignedOut } from './contract/people.ts';
import type { CredentialBook } from './token-actions.ts';

export type SignInEnd =
  | { readonly ok: true; readonly signedIn: SignedIn }
  | { readonly ok: false; readonly error: PincerError };

export interface SignInParts {
  begin(server: string, options: SignInOptions): Promise<SignInBegun>;
  complete(server: string, codeOrAddress: string, caller: string): Promise<SignedIn>;
  /** Cancels a sign-in. Nothing is saved, even if the browser returns later. */
  cancel(server: string, caller: string): void;
  signOut(server: string, caller: string): Promise<Omit<SignedOut, 'server'>>;
}

export interface SignInOptions {
  /** Id of the caller that signs in, for servers where each caller signs in separately. */
  readonly caller: string;
  readonly openBrowser?: boolean | undefined;
  readonly scopes?: readonly string[] | undefined;
}

export interface SignInBegun {
  readonly link?: string | undefined;
  readonly userCode?: string | undefined;
  readonly state: string;
  readonly hasOpenedBrowser: boolean;
  readonly ended: Promise<SignInEnd>;
}

/** A client that waits for the result repeats its request after this time. */
const MAX_WAIT_MS = 25_000;
/** Number of sign-ins whose results are kept for clients that ask later. */
const MAX_REMEMBERED = 64;

export function signInActions(parts: SignInParts, book: Pick<CredentialBook, 'find'>) {
  const ends = new Map<string, Promise<SignInEnd>>();

  function remember(state: string, ended: Promise<SignInEnd>): void {
    ends.delete(state);
    ends.set(state, ended);
    for (const oldest of ends.keys()) if (ends.size > MAX_REMEMBERED) ends.delete(oldest);
  }

  /** Returns the caller id for a token's name. The command line is a separate caller. */
  function idOf(name = LOCAL_CALLER): string {
    const id = name === LOCAL_CALLER ? LOCAL_CALLER : book.find(name)?.id;
    if (id !== undefined) return id;
    throw new PincerError('USAGE', `There is no token "${name}".`, {
      hint: 'List the tokens: pincer token list',
    });
  }

  return bindRoutes({
    async 'POST sign-in'({ body: { server, caller, ...options } }) {
      const { ended, ...begun } = await parts.begin(server, { ...options, caller: idOf(caller) });
      remember(begun.state, ended);
      return { server, ...begun };
    },
    /** Answers when the sign-in has ended, or after `waitMs` with `isUnderWay`. */
    async 'POST sign-in/wait'({ body: { state, waitMs = MAX_WAIT_MS } }) {
      const ended = ends.get(state);
      const end = ended && (await within(ended, Math.min(waitMs, MAX_WAIT_MS)));
      if (end?.ok === false) throw end.error;
      return { isUnderWay: end === undefined && ends.has(state), signedIn: end?.signedIn };
    },
    'POST sign-in/code': async ({ body: { server, code, caller } }) => ({
      server,
      signedIn: await parts.complete(server, code, idOf(caller)),
    }),
    'POST sign-in/cancel': ({ body: { server, caller } }) => parts.cancel(server, idOf(caller)),
    'POST sign-out': async ({ body: { server, caller } }) => ({
      server,
      ...(await parts.signOut(server, idOf(caller))),
    }),
  });
}
