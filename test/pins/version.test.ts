import { expect, test } from 'vitest';
import hub from '../../packages/hub/package.json' with { type: 'json' };
import { VERSION } from '../../packages/hub/src/lib/version.ts';

test('the version that Pincer reports is that of its package', () => {
  expect(VERSION).toBe(hub.version);
});
