import { afterEach, describe, expect, it } from 'vitest';
import { createMemory, type Locks, type Memory } from './session-memory.ts';

const SESSION = { sessionId: 's', bridgeUrl: 'ws://h/s', mcpUrl: 'http://h/s' };

/** Two pages of one browser: they share locks, but each tab has its own storage. */
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
    close: (page) => page.releaseLock(),
  };
}

const pages: Memory[] = [];
afterEach(() => {
  for (const page of pages.splice(0)) page.releaseLock();
});

describe('remembered session of a page', () => {
  it('is used by the next page', async () => {
    const { open, close } = browser();
    const tab = new Map<string, string>();
    const first = open(tab);
    expect(await first.recall()).toBeUndefined();
    first.keep(SESSION);
    close(first);
    expect(await open(tab).recall()).toEqual(SESSION);
  });

  it('is not used by a duplicated tab while the page lives', async () => {
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

  it('is awaited for a moment until the last page is closed', async () => {
    const { open, close } = browser();
    const tab = new Map<string, string>();
    const first = open(tab);
    first.keep(SESSION);
    const next = open(tab).recall();
    setTimeout(() => close(first), 20);
    expect(await next).toEqual(SESSION);
  });
});
