/** What an approval covers: exactly this request of exactly this caller. */
import type { Caller } from '../caller.ts';
import { canonicalDefinition as canonicalJson } from '../trust/canonical-definition.ts';
import { fullText } from './full-text.ts';
import type { ByteText } from '../wire/byte-text.ts';
import { findMember, writeMembers, type Member } from '../wire/members.ts';

export interface ApprovalRequest {
  readonly caller: Caller;
  readonly server: string;
  readonly method: string;
  /** The tool's or prompt's name or the URI, as the server calls it. */
  readonly name: string;
  /** The original bytes of the tool's definition. */
  readonly definition: ByteText | undefined;
  /** Members of `params` for the server, or the plan that the source prepared. */
  readonly params: readonly Member[];
}

export interface ApprovalText {
  readonly caller: string;
  readonly server: string;
  readonly tool: string;
  /** JSON text in full: never cut or redacted, because a hidden part would run unnoticed (ADR 0043). */
  readonly arguments: string;
}

/** `_meta` does not change what is done, and a request state comes from the server itself. */
const NOT_COVERED: ReadonlySet<string> = new Set(['_meta', 'requestState']);
/** Members shown as the name. */
const NAMES: ReadonlySet<string> = new Set(['name', 'uri']);

export interface DigestParts {
  readonly digest: (text: string) => string;
  /** The server's origin: another program or address under the same name is another server. */
  readonly origin: (server: string) => string | undefined;
}

/** Prefix of digests whose text was shown in full. Approvals of an earlier version, shown in part, do not count. */
const SHOWN_IN_FULL = 'full:';

export const isShownInFull = (digest: string): boolean => digest.startsWith(SHOWN_IN_FULL);

/** Another caller, server, definition or argument is another request and needs its own approval. */
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

/** Returns undefined if showing all of it takes more than `maxBytes`. */
export function textOf(request: ApprovalRequest, maxBytes: number): ApprovalText | undefined {
  const { caller, server, method, name, params } = request;
  const rest = params.filter(({ key }) => !NOT_COVERED.has(key) && !NAMES.has(key));
  const isPlain = rest.every(({ key }) => key === 'arguments');
  // The server also gets the members besides `arguments`, so the person sees them.
  const shown = isPlain ? (findMember(rest, 'arguments') ?? '{}') : writeMembers(rest);
  const tool = method === 'tools/call' ? name : `${method} ${name}`;
  const text = fullText(shown, maxBytes - Buffer.byteLength(tool));
  return text === undefined ? undefined : { caller: caller.name, server, tool, arguments: text };
}
