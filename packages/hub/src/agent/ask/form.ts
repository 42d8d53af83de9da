/** A form that the person at the MCP client fills in. */
import { isRecord } from '../../lib/is-record.ts';
import type { Era } from '../../core/protocol.ts';
import type { Answer, Exchange } from '../../core/request.ts';
import { parseBytes, type ByteText } from '../../core/wire/byte-text.ts';

/** What was filled in; undefined: they have put it away, or could not be asked. */
export type Filled = Readonly<Record<string, unknown>> | 'declined' | undefined;

/** `form`: params of `elicitation/create`. `signal`: nobody wants to know any more. */
export async function putForm(
  exchange: Pick<Exchange, 'ask'>,
  form: ByteText,
  signal: AbortSignal,
): Promise<Filled> {
  if (signal.aborted) return undefined;
  const { promise, resolve } = Promise.withResolvers<Filled>();
  const asked = exchange.ask({
    method: 'elicitation/create',
    params: form,
    answer: (answer) => resolve(read(answer)),
  });
  const withdraw = (): void => {
    asked.withdraw('it has been decided elsewhere, or the agent has stopped');
    resolve(undefined);
  };
  signal.addEventListener('abort', withdraw);
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', withdraw);
  }
}

function read(answer: Answer): Filled {
  const value = 'result' in answer ? parseBytes(answer.result) : undefined;
  if (!isRecord(value)) return undefined;
  if (value['action'] === 'decline') return 'declined';
  const content = value['action'] === 'accept' ? value['content'] : undefined;
  return isRecord(content) ? content : undefined;
}

export interface Choice {
  readonly value: string;
  readonly title: string;
}

/** Titles of choices: `oneOf` since 2025-11-25; clients of the legacy era may know `enumNames` only, and all do. */
export const choiceOf = (choices: readonly Choice[], era: Era): object =>
  era === 'modern'
    ? { oneOf: choices.map(({ value, title }) => ({ const: value, title })) }
    : { enum: choices.map(({ value }) => value), enumNames: choices.map(({ title }) => title) };

/** OpenClaw shows no more than 16,384 characters of a command and refuses longer ones, so that none is cut here. */
const MAX_CHARS = 32 * 1024;

export const isShownWhole = (text: string): boolean => text.length <= MAX_CHARS;

export const cut = (text: string): string =>
  isShownWhole(text) ? text : `${text.slice(0, MAX_CHARS)}… ${text.length} characters in all`;
