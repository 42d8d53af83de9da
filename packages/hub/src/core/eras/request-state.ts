/**
 * `requestState` passes through the client. Pincer seals it together with its caller, its request and its expiry. A
 * fresh nonce makes every text different.
 */
import { isRecord } from '../../lib/record.ts';
import type { Clock, Sealer } from '../ports.ts';
import { fromByteText, toByteText, type ByteText } from '../wire/byte-text.ts';
import type { Member } from '../wire/members.ts';

export interface StateSubject {
  /** The caller's id. */
  readonly principal: string;
  readonly server: string;
  readonly method: string;
  readonly name: string;
  readonly params: readonly Member[];
}

/**
 * The content: the server's own state (the raw JSON string), a parked call, an approval, or a mark that the request is
 * simply repeated.
 */
export type State =
  | { readonly upstream: ByteText }
  | { readonly parked: string }
  | { readonly approval: string }
  | { readonly isPlainRepeat: true };

export interface RequestStates {
  seal(subject: StateSubject, state: State): string;
  /** Returns undefined if it is not ours, is for another caller or request, or has expired. */
  open(subject: StateSubject, text: string): State | undefined;
}

export interface RequestStateParts {
  readonly sealer: Sealer;
  readonly digest: (text: string) => string;
  readonly clock: Clock;
  readonly ttlMs: number;
}

export const createRequestStates = ({ sealer, digest, clock, ttlMs }: RequestStateParts): RequestStates => ({
  seal: (subject, state) =>
    sealer.seal(
      JSON.stringify({
        to: subject.principal,
        for: digest(canonical(subject)),
        until: clock.now() + ttlMs,
        ...('upstream' in state ? { upstream: fromByteText(state.upstream) } : state),
      }),
    ),
  open(subject, text) {
    const opened = sealer.open(text);
    const value: unknown = opened === undefined ? undefined : JSON.parse(opened);
    if (!isRecord(value) || value['to'] !== subject.principal) return undefined;
    if (value['for'] !== digest(canonical(subject)) || Number(value['until']) <= clock.now())
      return undefined;
    const { parked, upstream, approval } = value;
    if (typeof parked === 'string') return { parked };
    if (typeof approval === 'string') return { approval };
    if (value['isPlainRepeat'] === true) return { isPlainRepeat: true };
    return typeof upstream === 'string' ? { upstream: toByteText(upstream) } : undefined;
  },
});

/** Members that differ between the rounds of one request. */
const ROUND_MEMBERS: ReadonlySet<string> = new Set(['_meta', 'inputResponses', 'requestState']);

/** The same text for the same request. Uses the raw values, because a parser would round different numbers to the same. */
const canonical = ({ server, method, name, params }: StateSubject): string =>
  JSON.stringify([
    server,
    method,
    name,
    params
      .filter(({ key }) => !ROUND_MEMBERS.has(key))
      .toSorted((a, b) => (a.key < b.key ? -1 : 1))
      .map(({ key, raw }) => [key, raw]),
  ]);
