import { describe, expect, it } from 'vitest';
import { parsePromptDefinition } from './definition.ts';

describe('parsePromptDefinition', () => {
  it.each(['{"name":"x"}', '{ "arguments":[{"name":"a"}], "name":"x", "n":99999999999999999999 }'])(
    'keeps %s unchanged',
    (raw) => {
      expect(parsePromptDefinition(raw)).toEqual({ name: 'x', raw });
    },
  );

  it.each([
    '{}',
    '{"name":""}',
    '{"name":7}',
    '{"name":"x","name":"x"}',
    '{"name":"x","arguments":{}}',
    '[]',
  ])('rejects %s, which clients could not read', (raw) => {
    expect(parsePromptDefinition(raw)).toBeUndefined();
  });
});
