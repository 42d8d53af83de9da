import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store, StoredPin } from '../core/ports.ts';
import { openTestStore } from '../../../../test/kit/store.ts';

const clock = { now: () => 1_790_000_000_000, elapsed: () => 0 };

const pin = (changes: Partial<StoredPin> = {}): StoredPin => ({
  server: 's',
  origin: 'o',
  tool: 't',
  digest: 'ab'.repeat(32),
  definition: '{"name":"t"}',
  acceptedAt: 1,
  ...changes,
});

describe('pins in the store', () => {
  let folder: string;
  let store: Store;
  const reopen = (): void => {
    store.close();
    store = openTestStore(folder, clock);
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pincer-pins-'));
    store = openTestStore(folder, clock);
  });
  afterEach(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });

  it('survive a restart byte for byte', () => {
    const everyByte = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte));
    const tools = ['t', 'T', 'tool\0one', 'tool\0two', 'ü\u200b', '', "'; DROP TABLE pins; --"];
    const pins = tools.map((tool) => pin({ tool, definition: everyByte }));
    store.savePins(pins);
    reopen();
    expect(store.loadPins().toSorted(byTool)).toEqual(pins.toSorted(byTool));
  });

  it('replace the pin of the same server, origin and tool', () => {
    store.savePins([pin(), pin({ origin: 'p' }), pin({ server: 'u' })]);
    store.savePins([]);
    store.savePins([pin({ digest: 'cd', definition: '{}', acceptedAt: 2.5 })]);
    reopen();
    expect(store.loadPins()).toEqual([
      pin({ digest: 'cd', definition: '{}', acceptedAt: 2 }),
      pin({ origin: 'p' }),
      pin({ server: 'u' }),
    ]);
  });

  it('are removed by server and origin', () => {
    store.savePins([pin(), pin({ tool: 'v' }), pin({ origin: 'p' }), pin({ server: 'u' })]);
    store.deletePins('s', 'o');
    store.deletePins('unknown', 'o');
    expect(store.loadPins()).toEqual([pin({ origin: 'p' }), pin({ server: 'u' })]);
  });

  it('are saved completely or not at all', () => {
    const broken = pin({ tool: 'broken', acceptedAt: NaN });
    expect(() => store.savePins([pin(), broken])).toThrow();
    expect(store.loadPins()).toEqual([]);
    store.savePins([pin()]);
    expect(store.loadPins()).toEqual([pin()]);
  });
});

const byTool = (a: StoredPin, b: StoredPin): number => (a.tool < b.tool ? -1 : 1);
