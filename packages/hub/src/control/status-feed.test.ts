import { describe, expect, it } from 'vitest';
import { createStatusFeed } from './status-feed.ts';

function bench() {
  const status = { servers: [{ name: 'a', state: 'ready', inFlight: 0 }] };
  const feed = createStatusFeed(
    async () => structuredClone(status),
    () => performance.now(),
  );
  return { server: status.servers[0]!, feed };
}

describe('createStatusFeed', () => {
  it('answers at once whoever knows nothing, or an older revision', async () => {
    const { feed } = bench();
    const first = (await feed.next(undefined, 60_000)) as { revision: number };
    expect(first).toMatchObject({ servers: [{ name: 'a', state: 'ready' }] });
    expect(await feed.next(first.revision - 1, 60_000)).toEqual(first);
  });

  it('waits for a change', async () => {
    const { feed, server } = bench();
    const first = (await feed.next(undefined, 0)) as { revision: number };
    const next = feed.next(first.revision, 60_000);
    server.state = 'backoff';
    expect(await next).toMatchObject({ revision: first.revision + 1, servers: [{ state: 'backoff' }] });
  });

  it('does not wait longer than it was asked to', async () => {
    const { feed } = bench();
    const first = (await feed.next(undefined, 0)) as { revision: number };
    expect(await feed.next(first.revision, 150)).toEqual(first);
  });

  it('calls under way are no change', async () => {
    const { feed, server } = bench();
    const first = (await feed.next(undefined, 0)) as { revision: number };
    server.inFlight = 1;
    expect(await feed.next(first.revision, 0)).toMatchObject({ revision: first.revision });
  });
});
