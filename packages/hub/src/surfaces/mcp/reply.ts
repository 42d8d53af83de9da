/** Where the answer to one message goes: an HTTP response or a line. */
import type { PincerError } from '../../core/errors.ts';
import type { Outcome } from '../../core/outcome.ts';
import { RPC, type Era } from '../../core/protocol.ts';
import { jsonBytes, type ByteText } from '../../core/wire/byte-text.ts';

export interface Reply {
  /** A whole JSON-RPC answer. `status` matters where there is HTTP. */
  answer(text: ByteText, status: number): void;
  /** A notification on the way to the answer. */
  notify(text: ByteText): void;
  /** Nothing to say: a notification was taken. */
  accept(): void;
}

export const resultText = (id: ByteText, result: ByteText, extra = ''): ByteText =>
  `{"jsonrpc":"2.0","id":${id},"result":${result}${extra}}`;

export interface RpcFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  readonly status: number;
}

export const errorText = (id: ByteText | undefined, { code, message, data }: RpcFailure): ByteText =>
  `{"jsonrpc":"2.0","id":${id ?? 'null'},"error":${jsonBytes({ code, message, data })}}`;

/** The answer that an outcome is, in the words of the caller's era. */
export function outcomeText(id: ByteText, outcome: Outcome, era: Era): { text: ByteText; status: number } {
  if ('result' in outcome)
    return { text: resultText(id, inEra(outcome.result, outcome.era, era), outcome.extra), status: 200 };
  if ('error' in outcome)
    return { text: `{"jsonrpc":"2.0","id":${id},"error":${outcome.error}${outcome.extra}}`, status: 200 };
  const failure = failureOfOutcome(outcome.kind, outcome.reason);
  return { text: errorText(id, failure), status: failure.status };
}

function failureOfOutcome(kind: 'not_executed' | 'outcome_unknown', reason: PincerError): RpcFailure {
  // The specification has a code of its own for a tool that does not exist.
  const code =
    reason.code === 'TOOL_UNKNOWN'
      ? RPC.invalidParams
      : kind === 'not_executed'
        ? RPC.notExecuted
        : RPC.outcomeUnknown;
  const data = { code: reason.code, outcome: kind, hint: reason.hint };
  return { code, message: reason.message, data, status: 200 };
}

/** A legacy result has no `resultType`; the modern era wants one on every result. */
const inEra = (result: ByteText, from: Era, to: Era): ByteText =>
  from === 'legacy' && to === 'modern' && !hasResultType(result)
    ? withMember(result, '"resultType":"complete"')
    : result;

const hasResultType = (result: ByteText): boolean => 'resultType' in (JSON.parse(result) as object);

const withMember = (object: ByteText, member: ByteText): ByteText => {
  const rest = object.slice(object.indexOf('{') + 1);
  return `{${member}${rest.trimStart().startsWith('}') ? '' : ','}${rest}`;
};
