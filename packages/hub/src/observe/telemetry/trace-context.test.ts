import { describe, expect, it } from 'vitest';
import { readTraceContext } from './trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

const read = (parent: string, state?: string): ReturnType<typeof readTraceContext> =>
  readTraceContext([
    { key: 'progressToken', raw: '1' },
    { key: 'traceparent', raw: parent },
    ...(state === undefined ? [] : [{ key: 'tracestate', raw: state }]),
  ]);

describe('readTraceContext', () => {
  it('reads the trace, the span and the sampling decision', () => {
    expect(read(`"00-${TRACE}-${SPAN}-01"`)).toEqual({
      traceId: TRACE,
      spanId: SPAN,
      isSampled: true,
      state: '',
    });
    expect(read(`"00-${TRACE}-${SPAN}-00"`)?.isSampled).toBe(false);
    expect(read(`"00-${TRACE}-${SPAN}-03"`)?.isSampled).toBe(true);
  });

  it('accepts later versions with additional fields', () => {
    expect(read(`"01-${TRACE}-${SPAN}-01"`)?.traceId).toBe(TRACE);
    expect(read(`"cc-${TRACE}-${SPAN}-01-more.fields"`)?.traceId).toBe(TRACE);
  });

  it.each([
    ['version 00 with additional fields', `"00-${TRACE}-${SPAN}-01-more"`],
    ['version ff', `"ff-${TRACE}-${SPAN}-01"`],
    ['a trace of zeros', `"00-${'0'.repeat(32)}-${SPAN}-01"`],
    ['a span of zeros', `"00-${TRACE}-${'0'.repeat(16)}-01"`],
    ['capital letters', `"00-${TRACE.toUpperCase()}-${SPAN}-01"`],
    ['a short trace', `"00-${TRACE.slice(1)}-${SPAN}-01"`],
    ['no flags', `"00-${TRACE}-${SPAN}"`],
    ['an escape', `"00-${TRACE}-${SPAN}-\\u0030\\u0031"`],
    ['a number', '12'],
    ['an object', '{}'],
    ['a very long text', `"cc-${TRACE}-${SPAN}-01-${'x'.repeat(1_000)}"`],
  ])('rejects %s', (_, parent) => {
    expect(read(parent)).toBeUndefined();
  });

  it('returns undefined without a traceparent', () => {
    expect(readTraceContext([])).toBeUndefined();
  });

  it('keeps the tracestate unless it is malformed or too long', () => {
    const parent = `"00-${TRACE}-${SPAN}-01"`;
    expect(read(parent, '"rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"')?.state).toBe(
      'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE',
    );
    expect(read(parent, `"a=${'x'.repeat(600)}"`)?.state).toBe('');
    expect(read(parent, '"a=\u00e9"')?.state).toBe('');
    expect(read(parent, '"a=\\n"')?.state).toBe('');
    expect(read(parent, '7')?.state).toBe('');
  });
});
