import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyJson, anyText } from '../../../../test/kit/any-text.ts';
import { parseToolDefinition, parseToolList, renameTool } from './tool-definition.ts';
import { fromByteText, parseBytes, toByteText } from './wire/byte-text.ts';

const SCHEMA = '"inputSchema":{"type":"object"}';

describe('parseToolList', () => {
  it('keeps each definition as the bytes that came', () => {
    const tool = toByteText(`{ "name" : "größe", ${SCHEMA}, "x": 1.0, "n": 99999999999999999999 }`);
    const { tools, nextCursor } = parseToolList(`{"tools":[ ${tool} ,{"name":"b",${SCHEMA}}]}`);
    expect(tools.map(({ name }) => name)).toEqual(['größe', 'b']);
    expect(tools[0]!.raw).toBe(tool);
    expect(nextCursor).toBeUndefined();
  });

  it.each([
    ['"next"', 'next'],
    ['"n\\u0065xt"', 'next'],
    [toByteText('"näxt"'), 'näxt'],
    ['""', ''],
    ['null', undefined],
    ['7', undefined],
  ])('reads the cursor %s', (raw, cursor) => {
    expect(parseToolList(`{"tools":[],"nextCursor":${raw}}`).nextCursor).toBe(cursor);
  });

  it.each(['{}', '{"tools":null}', '{"tools":{}}', '{"tools":"[]"}', '[]', 'null', '7', '"x"'])(
    'finds no tool in %s',
    (result) => {
      expect(parseToolList(result)).toEqual({ tools: [], nextCursor: undefined });
    },
  );

  it('leaves out what is no tool, and keeps the others', () => {
    const list = `[null,1,"a",[],{},{"name":1,${SCHEMA}},{"name":"",${SCHEMA}},{"name":"good",${SCHEMA}}]`;
    expect(parseToolList(`{"tools":${list}}`).tools.map(({ name }) => name)).toEqual(['good']);
  });
});

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
    expect(parseToolDefinition(text)!.readOnly).toBe(readOnly);
  });

  it.each([
    '{"name":"x"}',
    '{"name":"x","inputSchema":3}',
    '{"name":"x","inputSchema":[]}',
    '{"name":"x","n\\u0061me":"y","inputSchema":{}}',
  ])('is not %s, on which clients would choke', (text) => {
    expect(parseToolDefinition(text)).toBeUndefined();
  });

  it('counts a tool without annotations as writing', () => {
    expect(parseToolDefinition(`{"name":"x",${SCHEMA},"readOnlyHint":true}`)!.readOnly).toBe(false);
  });
});

describe('renameTool', () => {
  it('changes the name and no other byte of a value', () => {
    const value = anyJson();
    const extra = fc.dictionary(anyText(), value);
    fc.assert(
      fc.property(extra, anyText(12, 1), (members, name) => {
        const tool = { ...members, name, inputSchema: { type: 'object' } };
        const definition = parseToolDefinition(toByteText(JSON.stringify(tool)))!;
        const renamed = parseBytes(renameTool(definition, 's__x'));
        return JSON.stringify(renamed) === JSON.stringify({ ...tool, name: 's__x' });
      }),
    );
  });

  it('leaves numbers, spellings and order as they came', () => {
    const definition = parseToolDefinition(
      `{"b": 1.0,"n\\u0061me":"x","inputSchema":{"max": 1e400, "s":"\\u0041"}}`,
    )!;
    expect(renameTool(definition, 'y')).toBe(
      '{"b":1.0,"name":"y","inputSchema":{"max": 1e400, "s":"\\u0041"}}',
    );
    expect(renameTool(definition, 'x')).toBe(definition.raw);
  });

  it('renames a tool of any script', () => {
    const definition = parseToolDefinition(toByteText(`{"name":"größe","title":"Größe",${SCHEMA}}`))!;
    expect(fromByteText(renameTool(definition, 'g'))).toBe(`{"name":"g","title":"Größe",${SCHEMA}}`);
  });
});
