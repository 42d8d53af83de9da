import { describe, expect, it } from 'vitest';
import { ABILITY_OF, NO_ABILITIES, readAbilities, STRANGER } from './client.ts';
import { toByteText } from './wire/byte-text.ts';

describe('readAbilities', () => {
  it('reads the declared abilities and keeps the original text', () => {
    const raw = toByteText('{"sampling":{"n":1.0},"roots":{"listChanged":true},"x":"größe"}');
    expect(readAbilities(raw)).toEqual({
      raw,
      sampling: true,
      elicitation: false,
      roots: true,
      tasks: false,
    });
  });

  it('reads the tasks extension', () => {
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
  ])('ignores a value that is not an ability: %s', (raw) => {
    expect(readAbilities(raw)).toMatchObject({
      sampling: false,
      elicitation: false,
      roots: false,
      tasks: false,
    });
  });

  it('returns no abilities for an empty or missing declaration', () => {
    expect(readAbilities(undefined)).toBe(NO_ABILITIES);
    expect(readAbilities('{}')).toBe(NO_ABILITIES);
  });

  it('returns the same object for the same text and another one for other text', () => {
    expect(readAbilities('{"sampling":{}}')).toBe(readAbilities('{"sampling":{}}'));
    expect(readAbilities('{"sampling":{} }')).not.toBe(readAbilities('{"sampling":{}}'));
  });

  it('works for more clients than it remembers', () => {
    for (let index = 0; index < 600; index++)
      expect(readAbilities(`{"roots":{"n":${index}}}`)).toMatchObject({
        raw: `{"roots":{"n":${index}}}`,
        roots: true,
      });
  });

  it('reads a long declaration and ignores an oversized one', () => {
    const long = `{"sampling":{"x":"${'y'.repeat(10_000)}"}}`;
    expect(readAbilities(long)).toMatchObject({ sampling: true, raw: long });
    expect(readAbilities(`{"sampling":{"x":"${'y'.repeat(100_000)}"}}`)).toBe(NO_ABILITIES);
  });
});

it('maps each question to the ability it needs', () => {
  expect([...ABILITY_OF]).toEqual([
    ['sampling/createMessage', 'sampling'],
    ['elicitation/create', 'elicitation'],
    ['roots/list', 'roots'],
  ]);
});

it('the stranger has no abilities and cannot be asked', () => {
  expect(STRANGER.abilities).toBe(NO_ABILITIES);
  expect(STRANGER.ask({ method: 'roots/list', params: '{}', answer: () => undefined })).toBeUndefined();
  expect(STRANGER.notify('x', '{}')).toBeUndefined();
});
