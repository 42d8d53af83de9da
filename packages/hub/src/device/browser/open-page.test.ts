import { describe, expect, it } from 'vitest';
import { evaluate, valueOf } from './open-page.ts';

describe('the result of a script', () => {
  it('is its value, or a text for values that JSON cannot represent', () => {
    expect(valueOf({ result: { type: 'object', value: { a: [1] } } })).toEqual({ a: [1] });
    expect(valueOf({ result: { type: 'undefined' } })).toBeUndefined();
    expect(valueOf({ result: { type: 'number', unserializableValue: 'NaN' } })).toBe('NaN');
    expect(valueOf({})).toBeUndefined();
  });

  it.each([
    [{ exception: { description: 'Error: no\n    at x' } }, 'Error: no'],
    [{ exception: { value: 'text' } }, 'text'],
    [{ exception: { value: { a: 1 } } }, '{"a":1}'],
    [{ text: 'Uncaught' }, 'Uncaught'],
    [{}, 'The script threw an exception.'],
    [{ exception: { description: 'x'.repeat(1_000) } }, `${'x'.repeat(300)}…`],
  ])('is an error with one short line: %#', (exceptionDetails, text) => {
    expect(() => valueOf({ exceptionDetails })).toThrow(
      expect.objectContaining({ kind: 'page', message: text }) as Error,
    );
  });
});

it('aborting terminates the script in the page', async () => {
  const sent: string[] = [];
  const stop = new AbortController();
  const never = (method: string): Promise<object> => {
    sent.push(method);
    return method === 'Runtime.evaluate' ? new Promise<object>(() => undefined) : Promise.resolve({});
  };
  const value = evaluate(never as never, 'for(;;);', { signal: stop.signal, timeoutMs: 1_000 });
  stop.abort();
  await expect(value).rejects.toMatchObject({ kind: 'aborted' });
  expect(sent).toEqual(['Runtime.evaluate', 'Runtime.terminateExecution']);
  await expect(
    evaluate(never as never, '1', { signal: stop.signal, timeoutMs: 1_000 }),
  ).rejects.toMatchObject({
    kind: 'aborted',
  });
});
