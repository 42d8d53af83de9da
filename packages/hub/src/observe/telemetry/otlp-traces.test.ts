import { describe, expect, it } from 'vitest';
import { isRecord } from '../../lib/record.ts';
import { tracesBody } from './otlp-traces.ts';
import type { CallSpan } from './span.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const ORIGIN = { version: '0.1.0', instance: 'i1' };

const SPAN: CallSpan = {
  at: 1_790_000_000_123,
  caller: 'claude-code',
  surface: 'stdio',
  server: 'github',
  method: 'tools/call',
  tool: 'create_issue',
  outcome: 'not_executed',
  code: 'POLICY_DENIED',
  durationMs: 12.5,
  session: undefined,
  version: undefined,
  parent: { traceId: TRACE, spanId: '00f067aa0ba902b7', isSampled: true, state: 'rojo=00f067aa0ba902b7' },
};

/** The output of `@opentelemetry/otlp-transformer` 0.301.0 for the same span, without empty lists and zeros. */
const text = (key: string, stringValue: string): object => ({ key, value: { stringValue } });
const OFFICIAL = {
  resourceSpans: [
    {
      resource: {
        attributes: [
          text('service.name', 'pincer'),
          text('service.version', '0.1.0'),
          text('service.instance.id', 'i1'),
        ],
      },
      scopeSpans: [
        {
          scope: { name: 'pincer', version: '0.1.0' },
          spans: [
            {
              traceId: TRACE,
              spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
              parentSpanId: '00f067aa0ba902b7',
              traceState: 'rojo=00f067aa0ba902b7',
              name: 'tools/call create_issue',
              kind: 2,
              startTimeUnixNano: '1790000000110500000',
              endTimeUnixNano: '1790000000123000000',
              attributes: [
                text('mcp.method.name', 'tools/call'),
                text('gen_ai.tool.name', 'create_issue'),
                text('gen_ai.operation.name', 'execute_tool'),
                text('network.transport', 'pipe'),
                text('error.type', 'POLICY_DENIED'),
                text('pincer.server', 'github'),
                text('pincer.caller', 'claude-code'),
                text('pincer.surface', 'stdio'),
                text('pincer.outcome', 'not_executed'),
              ],
              status: { code: 2 },
              flags: 769,
            },
          ],
        },
      ],
    },
  ],
};

function spansOf(body: string): Record<string, unknown>[] {
  const found: Record<string, unknown>[] = [];
  JSON.parse(body, (_, value: unknown) => {
    if (isRecord(value) && 'spanId' in value) found.push(value);
    return value;
  });
  return found;
}

describe('tracesBody', () => {
  it('matches the official encoder', () => {
    expect(JSON.parse(tracesBody([SPAN], ORIGIN))).toEqual(OFFICIAL);
  });

  it('starts a new trace without a parent', () => {
    const root = { ...SPAN, parent: undefined, outcome: 'ok', code: undefined } as const;
    const [one, two] = spansOf(tracesBody([root, root], ORIGIN));
    expect(one).not.toHaveProperty('parentSpanId');
    expect(one).not.toHaveProperty('traceState');
    expect(one?.['flags']).toBe(257);
    expect(one?.['status']).toEqual({});
    expect(one?.['traceId']).toMatch(/^[0-9a-f]{32}$/);
    expect(one?.['traceId']).not.toBe(two?.['traceId']);
  });

  it('is valid JSON for any tool name', () => {
    const tool = 'a"b\\c\n\u2028é😀\ud800';
    const [span] = spansOf(tracesBody([{ ...SPAN, tool }], ORIGIN));
    expect(span?.['name']).toBe(`tools/call ${tool}`);
  });

  it('never repeats an id', () => {
    const ids = spansOf(
      tracesBody(
        Array.from({ length: 2_000 }, () => SPAN),
        ORIGIN,
      ),
    ).map((span) => span['spanId']);
    expect(new Set(ids).size).toBe(2_000);
  });

  it('has times in whole nanoseconds', () => {
    const [span] = spansOf(tracesBody([{ ...SPAN, at: 1_790_000_000_000.999, durationMs: 0.3 }], ORIGIN));
    expect(span?.['startTimeUnixNano']).toMatch(/^\d{19}$/);
    expect(span?.['endTimeUnixNano']).toMatch(/^\d{19}$/);
  });
});
