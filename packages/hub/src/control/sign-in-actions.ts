/** Signing in to servers, for whoever shows a person the link: the command line, and `/mcp auth`. */
import { LOCAL_CALLER } from '../core/caller.ts';
import { PincerError } from '../core/errors.ts';
import { bindRoutes } from './bind-routes.ts';
import type { SignedIn, SignedOut } from './contract/people.ts';
import type { CredentialBook } from './credential-book.ts';

export type SignInEnd =
  | { readonly ok: true; readonly signedIn: SignedIn }
  | { readonly ok: false; readonly error: PincerError };

export interface SignInParts {
  begin(server: string, options: SignInOptions): Promise<SignInBegun>;
  complete(server: string, codeOrAddress: string, caller: string): Promise<SignedIn>;
  /** Whoever began it no longer wants it: nothing is saved, even if the browser comes back. */
  cancel(server: string, caller: string): void;
  signOut(server: string, caller: string): Promise<Omit<SignedOut, 'server'>>;
}

export interface SignInOptions {
  /** The id of whoever signs in; it matters where everyone does so for themselves. */
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

/** A client that waits for the end asks again after this long. */
const MAX_WAIT_MS = 25_000;
/** How many sign-ins are remembered, so that whoever began one can ask how it ended. */
const MAX_REMEMBERED = 64;

export function signInActions(parts: SignInParts, book: Pick<CredentialBook, 'find'>) {
  const ends = new Map<string, Promise<SignInEnd>>();

  function remember(state: string, ended: Promise<SignInEnd>): void {
    ends.delete(state);
    ends.set(state, ended);
    for (const oldest of ends.keys()) if (ends.size > MAX_REMEMBERED) ends.delete(oldest);
  }

  /** Tokens are known by their names; where everyone signs in for themselves, the command line is one of them. */
  function idOf(name = LOCAL_CALLER): string {
    const id = name === LOCAL_CALLER ? LOCAL_CALLER : book.find(name)?.id;
    if (id !== undefined) return id;
    throw new PincerError('USAGE', `There is no token "${name}".`, { hint: 'Run `pincer token list`.' });
  }

  return bindRoutes({
    async 'POST sign-in'({ body: { server, caller, ...options } }) {
      const { ended, ...begun } = await parts.begin(server, { ...options, caller: idOf(caller) });
      remember(begun.state, ended);
      return { server, ...begun };
    },
    /** Answers when the sign-in has ended, or after a while: then it is still under way. */
    async 'POST sign-in/wait'({ body: { state, waitMs = MAX_WAIT_MS } }) {
      const end = await before(ends.get(state), Math.min(waitMs, MAX_WAIT_MS));
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

async function before<T>(work: Promise<T> | undefined, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), ms)));
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
