import { describe, expect, it } from 'vitest';
import { readToolText } from './tool-search-text.ts';

const NAMED = { exposed: 's__x', name: 'x', server: 's' };

describe('readToolText', () => {
  it("includes the definition's texts and nested parameters", () => {
    const definition = {
      title: 'X',
      description: 'Does x.',
      inputSchema: {
        properties: {
          filter: { description: 'Which ones.', properties: { owner: { description: 'Whose.' } } },
          rows: { type: 'array', items: { properties: { cell: { type: 'string' } } } },
        },
      },
    };
    expect(readToolText(NAMED, definition)).toEqual({
      ...NAMED,
      title: 'X',
      description: 'Does x.',
      parameters: ['filter', 'owner', 'rows', 'cell'],
      explanations: ['Which ones.', 'Whose.', '', ''],
    });
  });

  it.each([
    null,
    7,
    {},
    { description: 7, title: [], annotations: 'x', inputSchema: null },
    { inputSchema: { properties: [] } },
    { inputSchema: { properties: { a: 7 } } },
  ])('includes at least the name (%j)', (definition) => {
    expect(readToolText(NAMED, definition)).toMatchObject({ ...NAMED, title: '', description: '' });
  });

  it('reads the title from the annotations', () => {
    expect(readToolText(NAMED, { annotations: { title: 'Old place' } }).title).toBe('Old place');
  });

  it('limits long definitions', () => {
    let inputSchema: object = {};
    for (let depth = 0; depth < 50; depth++) inputSchema = { properties: { [`p${depth}`]: inputSchema } };
    expect(readToolText(NAMED, { inputSchema }).parameters).toHaveLength(5);
    const properties = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`p${index}`, {}]));
    const wide = readToolText(NAMED, { description: 'x'.repeat(100_000), inputSchema: { properties } });
    expect(wide.parameters).toHaveLength(200);
    expect(wide.description).toHaveLength(4_000);
  });
});
