import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../../core/ports.ts';
import { attributesOf, errorType, nameOf, toSpan } from './span.ts';

const call = (changes: Partial<CallRecord> = {}): CallRecord => ({
  at: 1_790_000_000_123,
  caller: 'claude-code',
  surface: 'http',
  server: 'github',
  method: 'tools/call',
  tool: 'create_issue',
  outcome: 'ok',
  code: undefined,
  durationMs: 12.5,
  arguments: '{"token":"s3"}',
  ...changes,
});

const PARENT = { key: 'traceparent', raw: '"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"' };
const UNSAMPLED = { key: 'traceparent', raw: PARENT.raw.replace('01"', '00"') };

const attributes = (changes: Partial<CallRecord> = {}): Record<string, string | undefined> => {
  const defined = attributesOf(toSpan(call(changes), 1)!).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined);
};

describe('a span of a call', () => {
  it('uses the names of the conventions and omits arguments', () => {
    const meta = [{ key: 'io.modelcontextprotocol/protocolVersion', raw: '"2026-07-28"' }];
    expect(nameOf(call())).toBe('tools/call create_issue');
    expect(attributes({ meta, session: 'abc' })).toEqual({
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'create_issue',
      'gen_ai.operation.name': 'execute_tool',
      'mcp.protocol.version': '2026-07-28',
      'mcp.session.id': 'abc',
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      'pincer.server': 'github',
      'pincer.caller': 'claude-code',
      'pincer.surface': 'http',
      'pincer.outcome': 'ok',
    });
    expect(JSON.stringify(toSpan(call(), 1))).not.toContain('s3');
  });

  it("omits an app's session, which may serve as a credential", () => {
    expect(attributes({ surface: 'proxy', session: 'abc' })).not.toHaveProperty('mcp.session.id');
  });

  it('names the transport of stdio', () => {
    const { 'network.transport': transport, 'network.protocol.name': protocol } = attributes({
      surface: 'stdio',
    });
    expect([transport, protocol]).toEqual(['pipe', undefined]);
  });

  it('is named after the prompt, but not after a URI, because there are too many', () => {
    expect(nameOf(call({ method: 'prompts/get', tool: 'greet' }))).toBe('prompts/get greet');
    expect(attributes({ method: 'prompts/get', tool: 'greet' })['gen_ai.prompt.name']).toBe('greet');
    expect(nameOf(call({ method: 'resources/read', tool: 'file:///x' }))).toBe('resources/read');
    expect(attributes({ method: 'resources/read', tool: 'file:///x' })['mcp.resource.uri']).toBe('file:///x');
  });

  it('omits the query and the password of a URI', () => {
    const uri = 'https://me:s3@example.com/a@b?sig=s3#s3';
    expect(attributes({ method: 'resources/read', tool: uri })['mcp.resource.uri']).toBe(
      'https://example.com/a@b',
    );
  });

  it('cuts a long URI', () => {
    const span = toSpan(call({ method: 'resources/read', tool: `a:${'x'.repeat(10_000)}` }), 1);
    expect(span?.tool).toHaveLength(512);
  });

  it('names the error', () => {
    expect(errorType(call())).toBeUndefined();
    expect(errorType(call({ outcome: 'tool_error' }))).toBe('tool_error');
    expect(errorType(call({ outcome: 'not_executed', code: 'POLICY_DENIED' }))).toBe('POLICY_DENIED');
  });

  it('includes only a known protocol version', () => {
    const meta = [{ key: 'io.modelcontextprotocol/protocolVersion', raw: '"<script>"' }];
    expect(attributes({ meta })['mcp.protocol.version']).toBeUndefined();
  });
});

describe('sampling', () => {
  const share = (sample: number, changes: Partial<CallRecord> = {}): number =>
    Array.from({ length: 1_000 }, () => toSpan(call(changes), sample)).filter((span) => span !== undefined)
      .length;

  it('traces all, none, or about the given share', () => {
    expect(share(1)).toBe(1_000);
    expect(share(0)).toBe(0);
    const half = share(0.5);
    expect(half).toBeGreaterThan(350);
    expect(half).toBeLessThan(650);
  });

  it("follows the decision of the trace's origin", () => {
    expect(share(0, { meta: [PARENT] })).toBe(1_000);
    expect(share(1, { meta: [UNSAMPLED] })).toBe(0);
  });
});
