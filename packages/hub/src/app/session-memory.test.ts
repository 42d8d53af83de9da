import { afterEach, describe, expect, it } from 'vitest';
import { createMemory, type Locks, type Memory } from './session-memory.ts';

const SESSION = { sessionId: 's', bridgeUrl: 'ws://h/s', mcpUrl: 'http://h/s' };

/** Two pages of one browser: the locks are the same, the storage is a tab's own. */
function browser(): { open: (items: Map<string, string>) => Memory; close: (page: Memory) => void } {
  const locks = navigator.locks as unknown as Locks;
  return {
    open(items) {
      const storage = {
        getItem: (key: string) => items.get(key) ?? null,
        setItem: (key: string, value: string) => void items.set(key, value),
        removeItem: (key: string) => void items.delete(key),
      };
      const page = createMemory({ storage, locks, key: 'k', claimMs: 100 });
      pages.push(page);
      return page;
    },
    close: (page) => page.letGo(),
  };
}

const pages: Memory[] = [];
afterEach(() => {
  for (const page of pages.splice(0)) page.letGo();
});

describe('a page that remembers its session', () => {
  it('gives it to the page that comes after it', async () => {
    const { open, close } = browser();
    const tab = new Map<string, string>();
    const first = open(tab);
    expect(await first.recall()).toBeUndefined();
    first.keep(SESSION);
    close(first);
    expect(await open(tab).recall()).toEqual(SESSION);
  });

  it('keeps it from a copy of its tab while it is there', async () => {
    const { open, close } = browser();
    const tab = new Map<string, string>();
    const first = open(tab);
    first.keep(SESSION);
    const copy = open(new Map(tab));
    expect(await copy.recall()).toBeUndefined();
    copy.keep({ ...SESSION, sessionId: 'of the copy' });
    close(first);
    expect(await open(tab).recall()).toEqual(SESSION);
    close(copy);
  });

  it('waits a little for the page before it to be gone', async () => {
    const { open, close } = browser();
    const tab = new Map<string, string>();
    const first = open(tab);
    first.keep(SESSION);
    const next = open(tab).recall();
    setTimeout(() => close(first), 20);
    expect(await next).toEqual(SESSION);
  });
});
