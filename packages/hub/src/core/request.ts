/** What passes between a surface and a source: era-neutral and lossless. */
import type { Caller } from './caller.ts';
import type { Outcome } from './outcome.ts';
import type { Era } from './protocol.ts';
import type { ByteText } from './wire/byte-text.ts';
import type { Member } from './wire/members.ts';

export interface ToolRequest {
  readonly method: 'tools/call';
  /** The tool as its server calls it. */
  readonly name: string;
  /** Members of `params` as they came, `_meta` excepted. */
  readonly params: readonly Member[];
  /** Members of `params._meta` as they came, the progress token included. */
  readonly meta: readonly Member[];
  /** The era that the caller speaks: a source prefers to be asked in the same one. */
  readonly era: Era;
  readonly caller: Caller;
  /** The caller's protocol session, where there is one. */
  readonly session: string | undefined;
}

/** The caller's end of one request. */
export interface Exchange {
  /** Something on the way to the answer; `params` is a whole JSON object. */
  notify(method: string, params: ByteText): void;
  /** The end; called exactly once, possibly before `request` has returned. */
  settle(outcome: Outcome): void;
}

/** A request under way. */
export interface Running {
  /** The caller no longer wants it. The source is told; the exchange settles all the same. */
  cancel(reason: string): void;
}

export interface Source {
  readonly name: string;
  request(request: ToolRequest, exchange: Exchange): Running;
}
