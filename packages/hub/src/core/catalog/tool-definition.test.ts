import { describe, expect, it } from 'vitest';
import type { Era } from '../protocol.ts';
import { parseToolDefinition, type ToolDefinition } from './tool-definition.ts';

const SCHEMA = '"inputSchema":{"type":"object"}';

const parse = (raw: string, era: Era = 'modern'): ToolDefinition | undefined => parseToolDefinition(raw, era);

describe('parseToolDefinition', () => {
  it.each([
    ['{"readOnlyHint":true}', true],
    ['{"readOnlyHint":true,"idempotentHint":true}', true],
    ['{"readOnlyHint":"true"}', false],
    ['{"readOnlyHint":false}', false],
    ['{}', false],
    ['null', false],
    ['"readOnlyHint"', false],
    ['{"__proto__":{"readOnlyHint":true}}', false],
  ])('annotations %s: read-only %s', (annotations, readOnly) => {
    const text = `{"name":"x",${SCHEMA},"annotations":${annotations}}`;
    expect(parse(text)!.readOnly).toBe(readOnly);
  });

  it.each([
    '{"name":"x"}',
    '{"name":"x","inputSchema":3}',
    '{"name":"x","inputSchema":[]}',
    '{"name":"x","n\\u0061me":"y","inputSchema":{}}',
  ])('rejects %s, which clients could not read', (text) => {
    expect(parse(text)).toBeUndefined();
  });

  it('treats a tool without annotations as writing', () => {
    expect(parse(`{"name":"x",${SCHEMA},"readOnlyHint":true}`)!.readOnly).toBe(false);
  });

  it.each([
    ['{"type":"object"}', false],
    ['{"type":"array","items":{}}', true],
    ['{"type":["object","null"]}', true],
    ['{"anyOf":[{"type":"object"}]}', true],
    ['{}', true],
    ['null', false],
    ['true', false],
  ])('wraps output %s for the legacy era: %s', (outputSchema, wraps) => {
    expect(parse(`{"name":"x",${SCHEMA},"outputSchema":${outputSchema}}`)!.wrapsOutput).toBe(wraps);
  });

  it('does not wrap the output of a legacy server', () => {
    const raw = `{"name":"x",${SCHEMA},"outputSchema":{"type":"array"}}`;
    expect(parse(raw, 'legacy')!.wrapsOutput).toBe(false);
  });

  it('does not wrap without an output schema', () => {
    expect(parse(`{"name":"x",${SCHEMA}}`)!.wrapsOutput).toBe(false);
  });

  it.each(['x-mcp-header', 'x-mcp-h\\u0065ader'])('reads header annotations, spelled %s', (key) => {
    const properties = `{"region":{"type":"string","${key}":"Region"}}`;
    const tool = parse(`{"name":"x","inputSchema":{"properties":${properties}}}`)!;
    expect(tool.headerParams).toEqual([{ path: ['region'], header: 'Mcp-Param-Region', type: 'string' }]);
    expect(tool.headerProblem).toBeUndefined();
  });

  it('reports invalid annotations', () => {
    const tool = parse('{"name":"x","inputSchema":{"x-mcp-header":"Region"}}')!;
    expect(tool.headerParams).toEqual([]);
    expect(tool.headerProblem).toBe('x-mcp-header is not reachable through "properties" alone');
  });
});
