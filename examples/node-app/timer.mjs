/** A kitchen timer: a program with tools that report progress and can be cancelled. */
import { setTimeout as wait } from 'node:timers/promises';
import { connect, tool } from 'pincer/app';

const rung = [];

const start_timer = tool({
  description: 'Waits for the given number of seconds, then rings. Use it to time something, such as an egg.',
  input: {
    type: 'object',
    properties: {
      label: { type: 'string', description: 'What to time.' },
      seconds: { type: 'integer', minimum: 1, maximum: 3600 },
    },
    required: ['label', 'seconds'],
  },
  async run({ label, seconds }, { progress, signal }) {
    console.log(`${label}: ${seconds} s`);
    for (let passed = 0; passed < seconds; passed++) {
      progress(passed, seconds, `${label}: ${seconds - passed} s to go`);
      await wait(1_000, undefined, { signal });
    }
    rung.push({ label, at: new Date().toISOString() });
    console.log(`${label}: done`);
    return { label, seconds };
  },
});

const list_rung = tool({
  description: 'All timers that have rung.',
  annotations: { readOnlyHint: true },
  run: () => ({ rung }),
});

const app = await connect({
  url: process.env.PINCER_APPS_URL ?? 'http://127.0.0.1:8000',
  token: process.env.PINCER_APP_TOKEN ?? process.env.OPENCLAW_PROXY_APP_TOKEN ?? '',
  tools: { start_timer, list_rung },
  device: { name: 'Kitchen timer' },
  onStatus: ({ status, mcpUrl, reason }) =>
    console.log([status, mcpUrl ?? '', reason ?? ''].join(' ').trim()),
  onError: ({ message, hint }) => console.error(message, hint ?? ''),
}).catch(() => process.exit(1));

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void app.close());
