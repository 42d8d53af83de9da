/** node test/fuzz/run.ts --messages N [--seed S] [--surface all|mcp|server|stdio]: the same seed, the same messages. */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { runFuzz, startFuzzHub, SURFACES } from './fuzz.ts';

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '150000' },
    seed: { type: 'string', default: randomBytes(6).toString('hex') },
    surface: { type: 'string', default: 'all' },
  },
});
const surfaces = SURFACES.filter((surface) => values.surface === 'all' || values.surface === surface);
const messages = Number(values.messages);
if (surfaces.length === 0 || !Number.isSafeInteger(messages) || messages < 1) {
  console.error('--surface is one of all, mcp, server, stdio; --messages is a number.');
  process.exit(2);
}

console.log(`${messages} messages, seed ${values.seed}`);
await using running = await startFuzzHub();
for (const surface of surfaces) {
  const begun = performance.now();
  const share = Math.ceil(messages / surfaces.length);
  try {
    await runFuzz({ hub: running.hub, surface, messages: share, seed: values.seed });
  } catch (error) {
    console.error(`${surface}: ${error instanceof Error ? error.message : String(error)}`);
    console.error(
      `again: node test/fuzz/run.ts --messages ${messages} --seed ${values.seed} --surface ${values.surface}`,
    );
    process.exitCode = 1;
    break;
  }
  console.log(`${surface}: ${share} messages in ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
}
