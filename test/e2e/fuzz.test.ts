import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runFuzz, startFuzzHub, SURFACES } from '../fuzz/fuzz.ts';
import { isAlive } from '../kit/processes.ts';

const MESSAGES = 50_000;
const seed = process.env['PINCER_FUZZ_SEED'] ?? randomBytes(6).toString('hex');

let running: Awaited<ReturnType<typeof startFuzzHub>>;
beforeAll(async () => {
  console.log(`PINCER_FUZZ_SEED=${seed}`);
  running = await startFuzzHub();
});
afterAll(() => running[Symbol.asyncDispose]());

it.each(SURFACES)(`takes ${MESSAGES} messages on %s`, async (surface) => {
  const { hub } = running;
  await runFuzz({ hub, surface, messages: MESSAGES, seed });
  expect(isAlive(hub.pid)).toBe(true);
});
