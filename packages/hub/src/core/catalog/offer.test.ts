import { expect, it } from 'vitest';
import { definePrompt, defineResource, defineTemplate, defineTool } from '../../../../../test/kit/offer.ts';
import { readRawOffer, toRawOffer, type Offer } from './offer.ts';
import { readIntroduction } from './server-about.ts';
import { toByteText } from '../wire/byte-text.ts';

const OFFER: Offer = {
  about: readIntroduction(toByteText('{"instructions":"Größe"}'), 'modern'),
  tools: [
    defineTool({ name: 'größe', outputSchema: { type: 'array' }, annotations: { readOnlyHint: true } }),
  ],
  prompts: [definePrompt('p')],
  resources: [defineResource('a:b')],
  templates: [defineTemplate('a:{b}')],
};

it('survives a round trip as bytes', () => {
  const again = readRawOffer(toRawOffer(OFFER));
  expect(toRawOffer(again)).toEqual(toRawOffer(OFFER));
  expect({ ...again, about: again.about.instructions }).toEqual({ ...OFFER, about: 'Größe' });
});

it('skips invalid definitions', () => {
  const raw = {
    about: '{}',
    tools: ['7'],
    prompts: ['{}'],
    resources: ['null'],
    templates: ['{"a":1,"a":1}'],
  };
  expect(toRawOffer(readRawOffer(raw))).toEqual({
    about: '{}',
    tools: [],
    prompts: [],
    resources: [],
    templates: [],
  });
});
