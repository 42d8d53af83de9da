import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyJson, anyKey, anyText } from '../../../../../test/kit/any-text.ts';
import { readDefinition, renameDefinition, type Definition } from './definition.ts';
import { fromByteText, parseBytes, toByteText } from '../wire/byte-text.ts';

const SCHEMA = '"inputSchema":{"type":"object"}';
const define = (raw: string): Definition => ({ name: readDefinition(raw)!['name'] as string, raw });

describe('readDefinition', () => {
  it.each(['null', '7', '"x"', '[]', '{"name":"x","n\\u0061me":"y"}', '{"a":1,"a":1}'])(
    'rejects %s',
    (raw) => {
      expect(readDefinition(raw)).toBeUndefined();
    },
  );

  it('reads the values', () => {
    expect(readDefinition(toByteText('{"name":"größe","x":[1]}'))).toEqual({ name: 'größe', x: [1] });
  });
});

describe('renameDefinition', () => {
  it('changes the name and no other byte of a value', () => {
    const value = anyJson();
    const extra = fc.dictionary(anyKey(), value);
    fc.assert(
      fc.property(extra, anyText(12, 1), (members, name) => {
        const tool = { ...members, name, inputSchema: { type: 'object' } };
        const definition = define(toByteText(JSON.stringify(tool)));
        const renamed = parseBytes(renameDefinition(definition, 's__x'));
        return JSON.stringify(renamed) === JSON.stringify({ ...tool, name: 's__x' });
      }),
    );
  });

  it('keeps numbers, spellings and order', () => {
    const definition = define(`{"b": 1.0,"n\\u0061me":"x","inputSchema":{"max": 1e400, "s":"\\u0041"}}`);
    expect(renameDefinition(definition, 'y')).toBe(
      '{"b":1.0,"name":"y","inputSchema":{"max": 1e400, "s":"\\u0041"}}',
    );
    expect(renameDefinition(definition, 'x')).toBe(definition.raw);
  });

  it('renames a tool of any script', () => {
    const definition = define(toByteText(`{"name":"größe","title":"Größe",${SCHEMA}}`));
    expect(fromByteText(renameDefinition(definition, 'g'))).toBe(`{"name":"g","title":"Größe",${SCHEMA}}`);
  });
});
