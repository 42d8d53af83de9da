import { describe, expect, it } from 'vitest';
import { readToolText } from './tool-search-text.ts';

const NAMED = { exposed: 's__x', name: 'x', server: 's' };

describe('what a tool is found by', () => {
  it('is what its definition says, down to parameters inside of others', () => {
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
  ])('is at least its name (%j)', (definition) => {
    expect(readToolText(NAMED, definition)).toMatchObject({ ...NAMED, title: '', description: '' });
  });

  it('may have its title among the annotations', () => {
    expect(readToolText(NAMED, { annotations: { title: 'Old place' } }).title).toBe('Old place');
  });

  it('has an end, however long the definition is', () => {
    let inputSchema: object = {};
    for (let depth = 0; depth < 50; depth++) inputSchema = { properties: { [`p${depth}`]: inputSchema } };
    expect(readToolText(NAMED, { inputSchema }).parameters).toHaveLength(5);
    const properties = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`p${index}`, {}]));
    const wide = readToolText(NAMED, { description: 'x'.repeat(100_000), inputSchema: { properties } });
    expect(wide.parameters).toHaveLength(200);
    expect(wide.description).toHaveLength(4_000);
  });
});
