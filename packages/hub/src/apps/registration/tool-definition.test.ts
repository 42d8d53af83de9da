import { describe, expect, it } from 'vitest';
import { parseToolDefinition } from '../../core/catalog/tool-definition.ts';
import { parseBytes, toByteText } from '../../core/wire/byte-text.ts';
import { readRegistration } from './read-registration.ts';
import { toToolDefinition } from './tool-definition.ts';

const definitionOf = (tool: string): string =>
  toToolDefinition(readRegistration(toByteText(`{"tools":[${tool}]}`)).tools[0]!);

describe('the definition of a registered tool', () => {
  it('has the registered name and description, and the schema under its MCP name', () => {
    const raw = definitionOf(
      '{"name":"echo","path":"/x","description":"Ächo “it”.","input_schema":{"type":"object","properties":{}}}',
    );
    expect(parseBytes(raw)).toEqual({
      name: 'echo',
      description: 'Ächo “it”.',
      inputSchema: { type: 'object', properties: {} },
    });
  });

  it('has title, output schema and annotations where the app gave them', () => {
    const raw = definitionOf(
      '{"name":"a","title":"T","output_schema":{},"annotations":{"readOnlyHint":true,"idempotentHint":true,"x":1}}',
    );
    expect(raw).toBe(
      '{"name":"a","title":"T","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},' +
        '"annotations":{"readOnlyHint":true,"idempotentHint":true,"x":1}}',
    );
    expect(parseToolDefinition(raw, 'legacy')).toMatchObject({
      name: 'a',
      raw,
      readOnly: true,
      idempotent: true,
      wrapsOutput: false,
    });
  });

  it('keeps numbers that JavaScript would round', () => {
    const schema = '{"type":"object","properties":{"n":{"maximum":18446744073709551616}}}';
    expect(definitionOf(`{"name":"a","input_schema":${schema}}`)).toContain(`"inputSchema":${schema}`);
  });

  it('is one line without a character that is no byte', () => {
    const raw = definitionOf('{"name":"a","description":"📱\\n","input_schema":\n{\n"title":"\u2028"\n}}');
    expect(raw).not.toMatch(/[\n\r\u0100-\uffff]/);
  });
});
