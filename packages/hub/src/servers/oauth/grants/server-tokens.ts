/** What shows one server who asks: the token of a grant, renewed when that is due, by one for all. */
import { PincerError } from '../../../core/errors.ts';
import type { Clock, Log } from '../../../core/ports.ts';
import type { AuthSettings } from '../client/settings.ts';
import { readChallenge } from '../discovery/challenge.ts';
import { union } from '../flow/scopes.ts';
import type { Grant, ResponseHeaders, TokenPort } from '../grant.ts';
import { boundHeaders } from '../token/signing-keys.ts';
import { hasEnded, isDue } from './due.ts';
import type { Grants } from './grant-store.ts';
import { isRefusal, isRenewable, type RenewGrant } from './renew-grant.ts';

export interface ServerTokens extends TokenPort {
  /** Somebody has signed in: requests carry something. Costs nothing to ask. */
  readonly isSignedIn: boolean;
  /** Everyone signs in for themselves: what one sign-in has opened is not gone on with by another. */
  readonly isPerCaller: boolean;
  /** What to do for whoever has to sign in. */
  readonly hint: string;
  /** What is used now, as far as it has been looked at. */
  readonly grant: Grant | undefined;
  /** The server wants these, too, for what was tried. */
  lack(scopes: readonly string[]): Promise<void>;
  /** What there is, whether or not it would do. */
  look(): Promise<Grant | undefined>;
  /** Records may have changed. */
  lookAgain(): void;
}

export interface ServerTokensParts {
  readonly server: string;
  readonly grants: Pick<Grants, 'change' | 'rewrite'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly settings: AuthSettings;
  readonly renew: RenewGrant;
  has(): boolean;
  /** `refused`: sign-ins that the server did not accept, where there may be others. `held`: the one that is in use. */
  find(refused: ReadonlySet<string>, held: string | undefined): Promise<Grant | undefined>;
  /** What to do for whoever has to sign in. */
  hint(): string;
}

/** After a renewal that came to nothing, a token that still holds is used for so long before the next. */
const RENEW_AGAIN_MS = 10_000;
/** A token that is refused though it was renewed for a refusal, this recently: another one would be refused, too. */
const CURED_MS = 60_000;
/** Rights that a server has asked for and was not given, as many as somebody could be asked for. */
const MAX_WANTED = 100;

export function createServerTokens(parts: ServerTokensParts): ServerTokens {
  const { server, grants, clock, log, settings } = parts;
  let isSignedIn = parts.has();
  let looking: Promise<Grant | undefined> | undefined;
  let looks = 0;
  let held: Grant | undefined;
  let renewing: Promise<Grant> | undefined;
  let renewAgainAt = -Infinity;
  let cured: { readonly token: string; readonly at: number } | undefined;
  let nonce: string | undefined;
  const refused = new Set<string>();

  /** Read once, until records have changed. */
  function current(): Promise<Grant | undefined> {
    looking ??= look();
    return looking;
  }

  async function look(): Promise<Grant | undefined> {
    const asked = ++looks;
    try {
      const found = await parts.find(refused, held?.signInId);
      if (asked === looks) take(found);
      return found;
    } catch (error) {
      if (asked === looks) looking = undefined;
      throw error;
    }
  }

  function take(grant: Grant | undefined): void {
    held = grant;
    isSignedIn = grant !== undefined;
  }

  /** What is known from here on, whatever is being looked for. */
  function know(grant: Grant | undefined): void {
    looks++;
    looking = Promise.resolve(grant);
    take(grant);
  }

  function lookAgain(): void {
    looks++;
    looking = undefined;
    isSignedIn = parts.has();
    if (!isSignedIn) held = undefined;
  }

  /** What is asked on behalf of all goes with the sign-in of another, where there is one: nobody's end is everyone's. */
  async function hasAnother({ signInId }: Grant): Promise<boolean> {
    refused.add(signInId);
    lookAgain();
    const other = await current();
    if (other !== undefined && other.signInId !== signInId) return true;
    refused.clear();
    lookAgain();
    return false;
  }

  function renew(stale: Grant): Promise<Grant> {
    renewing ??= renewAlone(stale).finally(() => (renewing = undefined));
    return renewing;
  }

  /** Whoever had to wait for another process uses what that one has stored. */
  async function renewAlone(stale: Grant): Promise<Grant> {
    const next = await grants.change(stale.key, async (stored) => {
      if (stored === undefined || stored.refused !== undefined) return stored;
      if (stored.accessToken !== stale.accessToken) return stored;
      // A refresh token works once: it is not spent where its successor could not be kept, for want of space say.
      if (stored.refreshToken !== undefined) await grants.rewrite(stored).catch(cannotKeep);
      try {
        return await parts.renew(stored, settings);
      } catch (error) {
        const refused = isRefusal(error);
        if (refused === undefined) throw error;
        log.warn(`the sign-in to "${server}" is not renewed any more: ${parts.hint()}`, { reason: refused });
        return { ...stored, refused };
      }
    });
    know(next);
    if (next === undefined || next.refused !== undefined) throw signInNeeded();
    return next;
  }

  function cannotKeep(error: unknown): never {
    const { message, hint } = PincerError.from(error);
    throw new PincerError('SIGN_IN_FAILED', message, { hint, cause: error });
  }

  /** A token that still holds is not lost because its authorization server is. */
  async function fresh(grant: Grant): Promise<Grant> {
    const now = clock.now();
    if (!isDue(grant, now) || !isRenewable(grant, settings)) return grant;
    const mayUse = !hasEnded(grant, now);
    if (mayUse && now < renewAgainAt) return grant;
    try {
      return await renew(grant);
    } catch (error) {
      const reason = PincerError.from(error);
      if (reason.code === 'SIGN_IN_NEEDED' || reason.code === 'VAULT_UNREADABLE') throw reason;
      if (!mayUse) throw notNow(reason);
      renewAgainAt = now + RENEW_AGAIN_MS;
      log.debug(`the sign-in to "${server}" could not be renewed`, { reason: reason.message });
      return grant;
    }
  }

  /** RFC 9449 §9: a server may want to see something of its own in the proof. */
  function isAboutNonce(grant: Grant, headers: ResponseHeaders): boolean {
    const said = headers['dpop-nonce'];
    if (grant.dpop === undefined || typeof said !== 'string' || said === nonce) return false;
    nonce = said;
    return readChallenge([headers['www-authenticate'] ?? ''].flat().join(', '))?.error === 'use_dpop_nonce';
  }

  const signInNeeded = (): PincerError =>
    new PincerError('SIGN_IN_NEEDED', `The sign-in to "${server}" has ended.`, {
      hint: parts.hint(),
      data: { server },
    });

  const notNow = (cause: PincerError): PincerError =>
    new PincerError(
      'SERVER_UNREACHABLE',
      `The sign-in to "${server}" has to be renewed, and cannot be now: ${cause.message}`,
      { hint: cause.hint ?? 'It is tried again by itself.', cause },
    );

  return {
    get isSignedIn() {
      return isSignedIn;
    },
    isPerCaller: settings.identity === 'per-caller',
    get hint() {
      return parts.hint();
    },
    get grant() {
      return held;
    },
    async authorize(request) {
      const grant = await current();
      if (grant === undefined) return undefined;
      if (grant.refused !== undefined) throw signInNeeded();
      const used = await fresh(grant);
      const { accessToken, dpop, signInId } = used;
      const headers =
        dpop === undefined
          ? { authorization: `Bearer ${accessToken}` }
          : await boundHeaders(dpop.privateJwk, { ...request, now: clock.now(), nonce, accessToken });
      return { headers, signInId };
    },
    async renew(failedToken, headers = {}) {
      const grant = await current();
      if (grant === undefined || grant.refused !== undefined) return false;
      if (grant.accessToken !== failedToken || isAboutNonce(grant, headers)) return true;
      const now = clock.now();
      if (cured?.token === failedToken && now - cured.at < CURED_MS) return hasAnother(grant);
      if (!isRenewable(grant, settings)) return hasAnother(grant);
      try {
        const { accessToken } = await renew(grant);
        cured = { token: accessToken, at: now };
        return true;
      } catch (error) {
        const reason = PincerError.from(error);
        if (reason.code === 'SIGN_IN_NEEDED') return hasAnother(grant);
        throw reason.code === 'SIGN_IN_FAILED' ? notNow(reason) : reason;
      }
    },
    async lack(scopes) {
      const grant = await current();
      if (grant === undefined) return;
      const known = await grants.change(grant.key, async (stored) => {
        if (stored === undefined) return undefined;
        const known = stored.wanted ?? [];
        if (scopes.every((scope) => known.includes(scope))) return stored;
        // What was wanted last goes first: a server that always wants something else has its say once.
        return { ...stored, wanted: union(scopes, known).slice(0, MAX_WANTED) };
      });
      know(known);
    },
    look: current,
    lookAgain,
  };
}
