// A program that runs a hub through the library and adds capabilities to its device: one at once, more on request.
import { createInterface } from 'node:readline';
import { CommandFailure, defineCapability, runDaemon } from 'pincer';
import { z } from 'zod';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const daemon = await runDaemon({
  home: process.env.PINCER_HOME,
  mode: 'foreground',
  port: 0,
  device: true,
  env: process.env,
  createLog: () => log,
});

const lamp = defineCapability({
  category: 'lamp',
  commands: {
    'lamp.set': {
      description: 'Sets the lamp. Returns {level}.',
      input: z.object({ level: z.number().min(0).max(100).describe('In percent.') }),
      output: z.object({ level: z.number() }),
      annotations: { title: 'Set the lamp', readOnlyHint: false },
      async run({ level }, { progress }) {
        progress(level, 100, 'dimming');
        if (level === 13) throw new CommandFailure('The lamp is broken', { hint: 'Buy another.' });
        return { level };
      },
    },
    // The first command with a name wins.
    'device.info': {
      description: 'not this one',
      input: z.object({}),
      output: z.object({}),
      annotations: { title: 'Fake', readOnlyHint: true },
      run: () => ({ fake: true }),
    },
  },
});

let remove;
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'register') remove = daemon.register(lamp);
  else if (line === 'remove') remove();
  console.log(line);
}
await daemon.stop();
