/** The token that authorizes requests to one server. One renewal at a time serves all requests and processes. */
import { PincerError } from '../../../core/errors.ts';
import type { Clock, Log } from '../../../core/ports.ts';
import type { AuthSettings } from '../client/settings.ts';
import { readChallenge } from '../discovery/challenge.ts';
import { union } from '../scopes.ts';
import type { Grant, ResponseHeaders, TokenPort } from '../grant.ts';
import { boundHeaders } from '../token/signing-keys.ts';
import type { Grants } from './grant-store.ts';
import { hasExpired, isDue, isRenewable, refusalIn, type RenewGrant } from './renew-grant.ts';

export interface ServerTokens extends TokenPort {
  /** There is a sign-in, as far as known without reading it. */
  readonly isSignedIn: boolean;
  /** Every caller signs in, so a session of one sign-in must not be continued with another. */
  readonly isPerCaller: boolean;
  /** The next step for a person who has to sign in. */
  readonly hint: string;
  /** The grant in use, as far as it has been read. */
  readonly grant: Grant | undefined;
  /** Stores scopes that the server required for a request; the next sign-in asks for them. */
  lack(scopes: readonly string[]): Promise<void>;
  /** Reads the grant, whether or not it is usable. */
  look(): Promise<Grant | undefined>;
  /** Reads the grant again on its next use: records may have changed. */
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
  /**
   * @param refused sign-ins that the server did not accept, where others may exist.
   * @param held the sign-in in use.
   */
  find(refused: ReadonlySet<string>, held: string | undefined): Promise<Grant | undefined>;
  /** The next step for a person who has to sign in. */
  hint(): string;
}

/** After a failed renewal, a token that is still valid is used for this long before the next attempt. */
const RENEW_AGAIN_MS = 10_000;
/** If a token is refused this soon after a refusal led to its renewal, another renewal would not help. */
const RENEWED_MS = 60_000;
/** Bounds the scopes that a server can pile up. */
const MAX_WANTED = 100;

export function createServerTokens(parts: ServerTokensParts): ServerTokens {
  const { server, grants, clock, log, settings } = parts;
  let isSignedIn = parts.has();
  let looking: Promise<Grant | undefined> | undefined;
  let looks = 0;
  let held: Grant | undefined;
  let renewing: Promise<Grant> | undefined;
  let renewAgainAt = -Infinity;
  let renewed: { readonly token: string; readonly at: number } | undefined;
  let nonce: string | undefined;
  const refused = new Set<string>();

  /** Reads the grant once, until records change. */
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

  /** Replaces the grant; a read under way is ignored. */
  function replace(grant: Grant | undefined): void {
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

  /** Requests on behalf of all use any sign-in: if one is refused, another may be accepted. */
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

  /** If another process renewed the grant meanwhile, its result is used. */
  async function renewAlone(stale: Grant): Promise<Grant> {
    const next = await grants.change(stale.key, async (stored) => {
      if (stored === undefined || stored.refused !== undefined) return stored;
      if (stored.accessToken !== stale.accessToken) return stored;
      // A refresh token works once. Check that its successor can be stored (disk space) before using it.
      if (stored.refreshToken !== undefined) await grants.rewrite(stored).catch(cannotKeep);
      try {
        return await parts.renew(stored, settings);
      } catch (error) {
        const refused = refusalIn(error);
        if (refused === undefined) throw error;
        log.warn(`the sign-in to "${server}" is not renewed any more: ${parts.hint()}`, { reason: refused });
        return { ...stored, refused };
      }
    });
    replace(next);
    if (next === undefined || next.refused !== undefined) throw signInNeeded();
    return next;
  }

  function cannotKeep(error: unknown): never {
    const { message, hint } = PincerError.from(error);
    throw new PincerError('SIGN_IN_FAILED', message, { hint, cause: error });
  }

  /** A token that is still valid is used even if its renewal fails. */
  async function fresh(grant: Grant): Promise<Grant> {
    const now = clock.now();
    if (!isDue(grant, now) || !isRenewable(grant, settings)) return grant;
    const mayUse = !hasExpired(grant, now);
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

  /** RFC 9449 §9: the server requires a nonce of its own in the proof. Returns true if it is a new one. */
  function isAboutNonce(grant: Grant, headers: ResponseHeaders): boolean {
    const given = headers['dpop-nonce'];
    if (grant.dpop === undefined || typeof given !== 'string' || given === nonce) return false;
    nonce = given;
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
      `The sign-in to "${server}" must be renewed, but cannot be now: ${cause.message}`,
      { hint: cause.hint ?? 'Pincer retries by itself.', cause },
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
      if (renewed?.token === failedToken && now - renewed.at < RENEWED_MS) return hasAnother(grant);
      if (!isRenewable(grant, settings)) return hasAnother(grant);
      try {
        const { accessToken } = await renew(grant);
        renewed = { token: accessToken, at: now };
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
        // The latest first: if the list is cut, the scopes of this request stay in it.
        return { ...stored, wanted: union(scopes, known).slice(0, MAX_WANTED) };
      });
      replace(known);
    },
    look: current,
    lookAgain,
  };
}
