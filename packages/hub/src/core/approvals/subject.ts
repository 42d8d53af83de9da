/** What an approval is about, and for: exactly this request of exactly this caller. */
import type { Caller } from '../caller.ts';
import { canonicalDefinition as canonicalJson } from '../trust/canonical-definition.ts';
import { fullText } from './full-text.ts';
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
  /** Members of `params` as the server is to get them, or what the source itself says that it would do. */
  readonly params: readonly Member[];
}

/** As it is shown to a person. */
export interface ApprovalText {
  readonly caller: string;
  readonly server: string;
  readonly tool: string;
  /** JSON text, in full: nothing is cut or redacted, since what is hidden would run unseen (ADR 0043). */
  readonly arguments: string;
}

/** What is left of `_meta` says nothing of what is done, and a state is what the server itself has said. */
const NOT_COVERED: ReadonlySet<string> = new Set(['_meta', 'requestState']);
/** What is shown as the name. */
const NAMES: ReadonlySet<string> = new Set(['name', 'uri']);

export interface DigestParts {
  readonly digest: (text: string) => string;
  /** What a server is, besides its name: another program or address under an old name is another server. */
  readonly origin: (server: string) => string | undefined;
}

/** Of digests that stand for a question shown in full. What an earlier version asked about in part counts no more. */
const SHOWN_IN_FULL = 'full:';

export const isShownInFull = (digest: string): boolean => digest.startsWith(SHOWN_IN_FULL);

/** Another caller, server, definition or argument is another request, and needs an approval of its own. */
export const digestOf = (request: ApprovalRequest, { digest, origin }: DigestParts): string =>
  SHOWN_IN_FULL +
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

/** Returns undefined if it takes more than `maxBytes` to show all of it. */
export function textOf(request: ApprovalRequest, maxBytes: number): ApprovalText | undefined {
  const { caller, server, method, name, params } = request;
  const rest = params.filter(({ key }) => !NOT_COVERED.has(key) && !NAMES.has(key));
  const isPlain = rest.every(({ key }) => key === 'arguments');
  // What a request has besides arguments goes to the server, too, and is seen.
  const shown = isPlain ? (findMember(rest, 'arguments') ?? '{}') : writeMembers(rest);
  const tool = method === 'tools/call' ? name : `${method} ${name}`;
  const text = fullText(shown, maxBytes - Buffer.byteLength(tool));
  return text === undefined ? undefined : { caller: caller.name, server, tool, arguments: text };
}
