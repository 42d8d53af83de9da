/**
 * `requestState` passes through the client: what Pincer gives out is sealed and says who it is for, which request it
 * belongs to and until when it is good. A fresh nonce makes it another text each time.
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
 * What is inside: the server's own state (the raw JSON string), a call that waits for its answers, a question whether
 * the call may run, or none of these.
 */
export type State =
  | { readonly upstream: ByteText }
  | { readonly parked: string }
  | { readonly approval: string }
  | { readonly isPlainRepeat: true };

export interface RequestStates {
  seal(subject: StateSubject, state: State): string;
  /** Undefined: not one of ours, for somebody else or another request, or too old. */
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

/** What differs between the rounds of one request. */
const ROUND_MEMBERS: ReadonlySet<string> = new Set(['_meta', 'inputResponses', 'requestState']);

/** The same text for the same request: values as they came, since numbers that only a parser takes for the same differ. */
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
