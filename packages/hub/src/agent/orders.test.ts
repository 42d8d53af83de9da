import { expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { freshKey } from './orders.ts';

it('freshKey has the time and 128 random bits', () => {
  verifies('001-session-key-form', '002-3-unique-key');
  const keys = Array.from({ length: 1_000 }, () => freshKey(1_700_000_000_000));
  for (const key of keys) expect(key).toMatch(/^mcp-1700000000000-[0-9a-f]{32}$/);
  expect(new Set(keys).size).toBe(1_000);
});
