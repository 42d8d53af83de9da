import { describe, expect, it } from 'vitest';
import { ABILITY_OF, NO_ABILITIES, readAbilities, STRANGER } from './client.ts';
import { toByteText } from './wire/byte-text.ts';

describe('readAbilities', () => {
  it('reads what a client says that it can do, and keeps its words', () => {
    const raw = toByteText('{"sampling":{"n":1.0},"roots":{"listChanged":true},"x":"größe"}');
    expect(readAbilities(raw)).toEqual({
      raw,
      sampling: true,
      elicitation: false,
      roots: true,
      tasks: false,
    });
  });

  it('knows the extension for tasks', () => {
    expect(readAbilities('{"extensions":{"io.modelcontextprotocol/tasks":{}}}').tasks).toBe(true);
    for (const raw of [
      '{"extensions":{}}',
      '{"extensions":{"io.modelcontextprotocol/tasks":1}}',
      '{"tasks":{}}',
    ])
      expect(readAbilities(raw).tasks).toBe(false);
  });

  it.each([
    '{"sampling":true,"elicitation":1,"roots":"yes"}',
    '{"sampling":null,"elicitation":[]}',
    '{"Sampling":{}}',
    '[]',
    'null',
    '7',
    '"sampling"',
  ])('takes nothing for an ability that is none: %s', (raw) => {
    expect(readAbilities(raw)).toMatchObject({
      sampling: false,
      elicitation: false,
      roots: false,
      tasks: false,
    });
  });

  it('is none for those who say nothing', () => {
    expect(readAbilities(undefined)).toBe(NO_ABILITIES);
    expect(readAbilities('{}')).toBe(NO_ABILITIES);
  });

  it('is the same for the same words, and another for others', () => {
    expect(readAbilities('{"sampling":{}}')).toBe(readAbilities('{"sampling":{}}'));
    expect(readAbilities('{"sampling":{} }')).not.toBe(readAbilities('{"sampling":{}}'));
  });

  it('is right for more clients than it remembers', () => {
    for (let index = 0; index < 600; index++)
      expect(readAbilities(`{"roots":{"n":${index}}}`)).toMatchObject({
        raw: `{"roots":{"n":${index}}}`,
        roots: true,
      });
  });

  it('is right for long words, and nothing for those without end', () => {
    const long = `{"sampling":{"x":"${'y'.repeat(10_000)}"}}`;
    expect(readAbilities(long)).toMatchObject({ sampling: true, raw: long });
    expect(readAbilities(`{"sampling":{"x":"${'y'.repeat(100_000)}"}}`)).toBe(NO_ABILITIES);
  });
});

it('a question needs the ability of its method', () => {
  expect([...ABILITY_OF]).toEqual([
    ['sampling/createMessage', 'sampling'],
    ['elicitation/create', 'elicitation'],
    ['roots/list', 'roots'],
  ]);
});

it('a stranger can do nothing and cannot be asked', () => {
  expect(STRANGER.abilities).toBe(NO_ABILITIES);
  expect(STRANGER.ask({ method: 'roots/list', params: '{}', answer: () => undefined })).toBeUndefined();
  expect(STRANGER.notify('x', '{}')).toBeUndefined();
});
