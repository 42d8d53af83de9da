import { describe, expect, it } from 'vitest';
import { keyName, openRecord, readRecord, sealRecord, writeRecord } from './vault-records.ts';

const MASTER = Buffer.alloc(32, 7);
const HEAD = { kind: 'grant', id: '["s","i","r","c"]', createdAt: '2026-01-01', updatedAt: '2026-01-02' };

/** Reads as the vault and the grant files do. */
function read(text: string): string | undefined {
  const record = readRecord(text);
  return record === undefined || record.key !== keyName(MASTER) ? undefined : openRecord(MASTER, record);
}

describe('a sealed record', () => {
  // Three lengths: base64 has spare bits at the end of two of them.
  it.each(['x', 'xy', 'xyz'])('of %j detects every flipped bit', (text) => {
    const good = Buffer.from(writeRecord(sealRecord(MASTER, HEAD, text)));
    expect(read(good.toString())).toBe(text);
    const undetected: number[] = [];
    for (let bit = 0; bit < good.length * 8; bit++) {
      const changed = Buffer.from(good);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      if (read(changed.toString()) !== undefined) undetected.push(bit);
    }
    expect(undetected).toEqual([]);
  });

  it('opens only with its own metadata and key', () => {
    const record = sealRecord(MASTER, HEAD, 'text');
    expect(openRecord(MASTER, { ...record, id: 'another' })).toBeUndefined();
    expect(openRecord(MASTER, { ...record, kind: 'secret' })).toBeUndefined();
    expect(openRecord(Buffer.alloc(32, 8), record)).toBeUndefined();
  });
});
