/** The end of the gateway that the other files have used: this file runs last. */
import { expect, inject, test } from 'vitest';
import { openHost } from '../kit/openclaw/host.ts';
import { eventually, isSame } from '../kit/processes.ts';

const host = openHost(inject('openclaw'));

test('a gateway that is asked to stop leaves no process behind', async () => {
  const gateway = host.gateway();
  const below = gateway.tree();
  expect(below).not.toEqual([]);
  expect(await gateway.stop()).toBe(true);
  const left = () => below.filter(isSame);
  await eventually(() => left().length === 0);
  expect(left()).toEqual([]);
});
