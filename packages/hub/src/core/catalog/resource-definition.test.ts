import { describe, expect, it } from 'vitest';
import { parseResourceDefinition, parseTemplateDefinition } from './definition.ts';

describe('parseResourceDefinition', () => {
  it('keeps the bytes', () => {
    const raw = '{ "uri":"file:///a", "name":"a", "size":99999999999999999999 }';
    expect(parseResourceDefinition(raw)).toEqual({ uri: 'file:///a', name: 'a', raw });
  });

  it.each([
    '{"uri":"a:b"}',
    '{"name":"a"}',
    '{"uri":"","name":"a"}',
    '{"uri":7,"name":"a"}',
    '{"uri":"a:b","name":null}',
    '{"uri":"a:b","uri":"a:c","name":"a"}',
    '7',
  ])('rejects %s', (raw) => {
    expect(parseResourceDefinition(raw)).toBeUndefined();
  });
});

describe('parseTemplateDefinition', () => {
  it('keeps the bytes', () => {
    const raw = '{"uriTemplate":"file:///{path}", "name":"files"}';
    expect(parseTemplateDefinition(raw)).toEqual({ uriTemplate: 'file:///{path}', name: 'files', raw });
  });

  it.each(['{"uri":"a:b","name":"a"}', '{"uriTemplate":"a:{b}"}', '{"uriTemplate":"","name":"a"}', 'null'])(
    'rejects %s',
    (raw) => {
      expect(parseTemplateDefinition(raw)).toBeUndefined();
    },
  );
});
