import { expect, it } from 'vitest';
import { optionsOf } from './steps.ts';

const OFFERED = [{}, { url: 'wss://studio.local:18789' }];

it.each([
  ['', undefined],
  ['n', undefined],
  ['no', undefined],
  ['1', { url: undefined }],
  ['2', { url: 'wss://studio.local:18789' }],
  ['3', 'unclear'],
  ['wss://desk.local:18789', { url: 'wss://desk.local:18789' }],
  ['ws://127.0.0.1:18789', { url: 'ws://127.0.0.1:18789' }],
  ['oc-pair://abc', { setupCode: 'oc-pair://abc' }],
])('%j', (answer, options) => expect(optionsOf(answer, OFFERED)).toEqual(options));
