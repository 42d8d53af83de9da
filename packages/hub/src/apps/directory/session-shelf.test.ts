import { expect, it } from 'vitest';
import { registrationOf } from '../../../../../test/kit/session-bench.ts';
import { createSessionShelf, type KeptSession } from './session-shelf.ts';

const TTL = 1_000;

it('a sweep looks at those that have expired and one more, however many there are', () => {
  const clock = { at: 0 };
  const looked = new Set<string>();
  const shelf = createSessionShelf(() => clock.at, TTL);
  const sessions = Array.from({ length: 1_000 }, (_, count): KeptSession => {
    const id = `${count}`;
    const session = {
      ...registrationOf(),
      id,
      app: 'a',
      credential: undefined,
      epoch: 0,
      saysHello: false,
      attachedAs: 0,
      hasGreeted: false,
      lastUsed: 0,
    };
    const bridge = count % 2 === 0 ? undefined : { epoch: 1 };
    return Object.defineProperty({ ...session, bridge }, 'bridge', {
      get() {
        looked.add(id);
        return bridge;
      },
    });
  });
  for (const session of sessions) {
    clock.at++;
    shelf.add(session);
  }
  looked.clear();
  clock.at = 5 + TTL;
  expect([...shelf.expired()].map(({ id }) => id)).toEqual(['0', '2', '4']);
  expect([...looked]).toEqual(['0', '2', '4', '6']);
});
