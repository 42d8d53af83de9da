/** What an approval is about, and for: exactly this request of exactly this caller. */
import type { Caller } from '../caller.ts';
import { canonicalDefinition as canonicalJson } from '../trust/canonical-definition.ts';
import { hideTokens, TOKENS_ONLY } from '../redact/hide-tokens.ts';
import { redactArguments } from '../redact/redact.ts';
import type { Hiding } from '../redact/redact-secrets.ts';
import type { ByteText } from '../wire/byte-text.ts';
import { findMember, writeMembers, type Member } from '../wire/members.ts';

export interface ApprovalRequest {
  readonly caller: Caller;
  readonly server: string;
  readonly method: string;
  /** What it is about, as the server calls it. */
  readonly name: string;
  /** The tool's definition as the bytes that came. */
  readonly definition: ByteText | undefined;
  /** Members of `params` as the server is to get them. */
  readonly params: readonly Member[];
  /** They are what the source itself says that it would do: shown in full, since what is hidden would run unseen. */
  readonly isWhole?: boolean;
}

/** As it is shown to a person. */
export interface ApprovalText {
  readonly caller: string;
  readonly server: string;
  readonly tool: string;
  /** Redacted JSON text. */
  readonly arguments: string;
}

/** What is left of `_meta` says nothing of what is done, and a state is what the server itself has said. */
const NOT_COVERED: ReadonlySet<string> = new Set(['_meta', 'requestState']);
/** A character that cannot be seen takes so many to be spelled out; and one string takes at most half of the room. */
const SPELLED_OUT = 16;
const SPELLED_OUT_SPARE = 1_024;
const NOTHING_HIDDEN: Hiding = { inText: (text) => text, inSecret: (text) => text };
/** What is shown as the name. */
const NAMES: ReadonlySet<string> = new Set(['name', 'uri']);

export interface DigestParts {
  readonly digest: (text: string) => string;
  /** What a server is, besides its name: another program or address under an old name is another server. */
  readonly origin: (server: string) => string | undefined;
}

/** Another caller, server, definition or argument is another request, and needs an approval of its own. */
export const digestOf = (request: ApprovalRequest, { digest, origin }: DigestParts): string =>
  digest(
    JSON.stringify([
      request.caller.id,
      request.server,
      origin(request.server) ?? null,
      request.method,
      request.name,
      request.definition === undefined ? null : digest(canonicalJson(request.definition)),
      canonicalJson(writeMembers(request.params.filter(({ key }) => !NOT_COVERED.has(key)))),
    ]),
  );

export function textOf(request: ApprovalRequest, maxBytes: number): ApprovalText {
  const { caller, server, method, name, params } = request;
  const rest = params.filter(({ key }) => !NOT_COVERED.has(key) && !NAMES.has(key));
  const isPlain = rest.every(({ key }) => key === 'arguments');
  const shown = isPlain ? findMember(rest, 'arguments') : writeMembers(rest);
  return {
    caller: caller.name,
    server,
    tool: method === 'tools/call' ? name : `${method} ${hideTokens(name)}`,
    // What a request has besides arguments goes to the server, too, and is seen.
    arguments:
      request.isWhole === true
        ? redactArguments(shown, SPELLED_OUT * (shown?.length ?? 0) + SPELLED_OUT_SPARE, NOTHING_HIDDEN)
        : redactArguments(shown, maxBytes, TOKENS_ONLY),
  };
}
