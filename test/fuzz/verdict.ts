/** Whether an answer is one that a client could have expected. */
import { cut, isObject } from '../servers/json.ts';

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The id of a message as it was written; undefined where a reader cannot find one. */
export function idOf(bytes: Buffer): string | undefined {
  try {
    const text = strict.decode(bytes);
    return isObject(JSON.parse(text)) ? cut(text, 'id') : undefined;
  } catch {
    return undefined;
  }
}

/** Why this is no JSON-RPC answer; undefined when it is one. */
export function faultOfAnswer(text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'not JSON';
  }
  if (!isObject(value)) return 'not an object';
  if (value['jsonrpc'] !== '2.0') return 'no version';
  if ('method' in value) return 'a request or notification';
  const { result, error, id } = value;
  if (id !== null && typeof id !== 'string' && typeof id !== 'number') return 'no id';
  if ((result === undefined) === (error === undefined)) return 'not exactly one of result and error';
  if (result !== undefined) return isObject(result) ? undefined : 'a result that is no object';
  if (!isObject(error)) return 'an error that is no object';
  const isSound = Number.isInteger(error['code']) && typeof error['message'] === 'string';
  return isSound ? undefined : 'an error without code or message';
}

export class FuzzFailure extends Error {
  constructor(what: string, where: string, message: Buffer, answer: string) {
    const shown =
      message.length > 600 ? `${message.subarray(0, 600).toString('latin1')}…` : message.toString('latin1');
    super(
      `${what}\n  at ${where}\n  message ${JSON.stringify(shown)}\n  answer ${JSON.stringify(answer.slice(0, 600))}`,
    );
    this.name = 'FuzzFailure';
  }
}
