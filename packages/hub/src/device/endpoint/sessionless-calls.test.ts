import { expect, it } from 'vitest';
import { createSessionlessCalls } from './dispatch.ts';

const ME = { id: 'me', name: 'me', scopes: {} };

function bench() {
  const calls = createSessionlessCalls();
  const cancelled: string[] = [];
  return {
    cancelled,
    cancel: (id: string, caller = ME) => calls.cancel(caller, id, 'no'),
    start: (id: string, name: string) => calls.add(ME, id, { cancel: () => void cancelled.push(name) }),
  };
}

it('the call of this id is cancelled, and nothing else', () => {
  const { start, cancel, cancelled } = bench();
  start('1', 'number');
  start('"1"', 'text');
  cancel('1');
  expect(cancelled).toEqual(['number']);
  cancel(String.raw`"\u0031"`);
  expect(cancelled).toEqual(['number', 'text']);
  for (const unknown of ['2', 'null', '"x"', '{}']) cancel(unknown);
  cancel('1', { ...ME, id: 'somebody else' });
  expect(cancelled).toHaveLength(2);
});

it('of two calls with one id neither is, until one has ended', () => {
  const { start, cancel, cancelled } = bench();
  const first = start('7', 'first');
  start('7', 'second');
  cancel('7');
  expect(cancelled).toEqual([]);
  first.forget();
  cancel('7');
  expect(cancelled).toEqual(['second']);
});

it('what has ended is not cancelled', () => {
  const { start, cancel, cancelled } = bench();
  start('7', 'only').forget();
  cancel('7');
  expect(cancelled).toEqual([]);
});
