/** Scripts that are run in a page. */
import { orAborted } from '../../lib/bounded-wait.ts';
import { isRecord } from '../../lib/is-record.ts';
import { BrowserError, unwanted } from './browser-error.ts';
import type { Params } from './connection.ts';

const MAX_ERROR_CHARS = 300;

export type SendToPage = (method: string, params?: Params, timeoutMs?: number) => Promise<Params>;

export interface HowLong {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
}

/** What is not waited for any more is ended in the page, too. */
export async function evaluate(
  send: SendToPage,
  expression: string,
  { signal, timeoutMs }: HowLong,
): Promise<unknown> {
  if (signal?.aborted) throw unwanted();
  const params = { expression, awaitPromise: true, returnByValue: true, timeout: timeoutMs };
  const answer = send('Runtime.evaluate', params, timeoutMs);
  try {
    return valueOf(await orAborted(answer, signal, unwanted));
  } catch (error) {
    if (error instanceof BrowserError && (error.kind === 'aborted' || error.kind === 'timeout'))
      void send('Runtime.terminateExecution').catch(() => undefined);
    throw error;
  }
}

/** The answer of `Runtime.evaluate`: plain JSON, undefined for what has no value, a text for what JSON has no word for. */
export function valueOf({ result, exceptionDetails }: Params): unknown {
  if (isRecord(exceptionDetails)) throw new BrowserError('page', thrownText(exceptionDetails));
  if (!isRecord(result)) return undefined;
  return 'unserializableValue' in result ? result['unserializableValue'] : result['value'];
}

/** The first line, without the stack. */
function thrownText({ exception, text }: Params): string {
  const { description, value } = isRecord(exception) ? exception : {};
  const said = description ?? value ?? text ?? 'The script has thrown something.';
  const line = (typeof said === 'string' ? said : JSON.stringify(said)).split('\n', 1)[0]!;
  return line.length > MAX_ERROR_CHARS ? `${line.slice(0, MAX_ERROR_CHARS)}…` : line;
}
