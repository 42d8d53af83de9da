import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/kit/temporary-folder.ts';
import type { Place } from '../hub/place.ts';
import { runPincer } from './run-pincer.ts';

/** A fake Pincer. */
function placeOf(home: string, source: string): Pick<Place, 'home' | 'entry' | 'env'> {
  const entry = join(home, 'program.mjs');
  writeFileSync(entry, source);
  return { home, entry, env: { ...process.env, MARK: 'kept', OPENCLAW_CLI: '1' } };
}

test("passes every word unchanged, and returns Pincer's exit code", async () => {
  using folder = temporaryFolder('run');
  const file = join(folder.path, 'arguments.json');
  const place = placeOf(
    folder.path,
    `import { writeFileSync } from 'node:fs';
    writeFileSync(${JSON.stringify(file)}, JSON.stringify([process.env.MARK, process.env.OPENCLAW_CLI ?? 'none', ...process.argv.slice(2)]));
    process.exit(5);`,
  );
  const words = ['call', 'files.read', 'path=a b; $(c) "d"', '--', '--json'];
  expect(await runPincer(words, place)).toBe(5);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(['kept', 'none', ...words]);
});

test('distinguishes an end by signal from a normal exit', async () => {
  using folder = temporaryFolder('run');
  const place = placeOf(folder.path, `process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000);`);
  expect(await runPincer([], place)).toBe(128 + 9);
});
