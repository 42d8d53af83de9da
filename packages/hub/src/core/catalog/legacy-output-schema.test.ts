import { describe, expect, it } from 'vitest';
import { withLegacyOutput, wrapOutputSchema } from './legacy-output-schema.ts';

const wrapped = (inner: string, dialect = ''): string =>
  `{${dialect}"type":"object","properties":{"result":${inner}},"required":["result"]}`;

describe('wrapOutputSchema', () => {
  it('puts the original bytes of the schema under "result"', () => {
    const schema = '{ "type":"array", "items":{"maximum": 99999999999999999999, "multipleOf":1.0} }';
    expect(wrapOutputSchema(schema)).toBe(wrapped(schema));
  });

  it('repeats the dialect at the new root', () => {
    const schema = '{"$schema":"http://json-schema.org/draft-07/schema#","type":"string"}';
    expect(wrapOutputSchema(schema)).toBe(
      wrapped(schema, '"$schema":"http://json-schema.org/draft-07/schema#",'),
    );
  });

  it.each([
    [
      '{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#"}}}',
      '{"$ref":"#/properties/result/$defs/a","$defs":{"a":{"$ref":"#/properties/result"}}}',
    ],
    [
      '{"anyOf":[{"$ref":"#/$defs/a"},{"$dynamicRef":"#/x"}]}',
      '{"anyOf":[{"$ref":"#/properties/result/$defs/a"},{"$dynamicRef":"#/properties/result/x"}]}',
    ],
    ['{"items":{"$ref":"#name"}}', '{"items":{"$ref":"#name"}}'],
    ['{"items":{"$ref":"other.json#/a"}}', '{"items":{"$ref":"other.json#/a"}}'],
    ['{"default":{"$ref":"#/a"},"enum":[{"$ref":"#"}]}', '{"default":{"$ref":"#/a"},"enum":[{"$ref":"#"}]}'],
    [
      '{"properties":{"default":{"$ref":"#/a"},"$ref":{"$ref":"#/b"}}}',
      '{"properties":{"default":{"$ref":"#/properties/result/a"},"$ref":{"$ref":"#/properties/result/b"}}}',
    ],
    ['{"$id":"#name","$ref":"#/a"}', '{"$id":"#name","$ref":"#/properties/result/a"}'],
    [
      '{"items":{"$id":"http://x/y","$ref":"#/a"},"$ref":"#/b"}',
      '{"items":{"$id":"http://x/y","$ref":"#/a"},"$ref":"#/properties/result/b"}',
    ],
    ['{"\\u0024ref":"#/a"}', '{"$ref":"#/properties/result/a"}'],
    ['{"$ref":7}', '{"$ref":7}'],
    ['{"x":{"a":1,"a":{"$ref":"#"}}}', '{"x":{"a":1,"a":{"$ref":"#"}}}'],
  ])('moves the references of %s', (schema, moved) => {
    expect(wrapOutputSchema(schema)).toBe(wrapped(moved));
  });

  it("keeps references relative to the schema's own $id", () => {
    const schema = '{"$id":"http://x/y","$ref":"#/$defs/a"}';
    expect(wrapOutputSchema(schema)).toBe(wrapped(schema));
  });

  it('keeps a schema nested too deeply as it is', () => {
    const schema = `${'{"not":'.repeat(50_000)}{"$ref":"#/a"}${'}'.repeat(50_000)}`;
    expect(wrapOutputSchema(schema)).toBe(wrapped(schema));
  });
});

describe('withLegacyOutput', () => {
  it('changes nothing else in a definition', () => {
    expect(withLegacyOutput('{"name":"x","outputSchema":{"type":"string"},"n": 1.0}')).toBe(
      `{"name":"x","outputSchema":${wrapped('{"type":"string"}')},"n":1.0}`,
    );
    expect(withLegacyOutput('{ "name":"x" }')).toBe('{ "name":"x" }');
  });
});
