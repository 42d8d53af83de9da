import { expect, it } from 'vitest';
import { realPorts, runCommand } from '../../../../test/kit/device-ports.ts';
import { deviceSchema } from '../config/device-schema.ts';
import { DEFAULT_LIMITS, type Limits } from '../core/limits.ts';
import type { Command } from './registry/capability.ts';
import { builtIn, type BuiltIn } from './capabilities.ts';

const machine = (settings: object, limits: Partial<Limits> = {}): BuiltIn =>
  builtIn({
    ...realPorts({ PATH: '' }),
    settings: () => deviceSchema.parse(settings),
    app: {
      gateway: () => undefined,
      settings: { get: () => undefined, set: () => Promise.resolve() },
    },
    limits: { ...DEFAULT_LIMITS, ...limits },
  });

const commandOf = ({ capabilities }: BuiltIn, name: string): Command | undefined =>
  capabilities.map(({ commands }) => commands.get(name)).find((each) => each !== undefined);

async function close({ capabilities, close: closeRest }: BuiltIn): Promise<void> {
  for (const capability of capabilities) await capability.close?.();
  await closeRest();
}

it('the limits of the configuration apply to all capabilities', async () => {
  const bounded = machine(
    {},
    {
      maxSpeechChars: 3,
      maxClipboardBytes: 3,
      maxCanvasHtmlBytes: 3,
      maxA2uiLines: 1,
      runTimeoutMs: 77,
    },
  );
  const failure = (name: string, args: object) =>
    runCommand(commandOf(bounded, name), args).then(
      () => undefined,
      (error: Error) => error.message,
    );
  expect(await failure('tts.speak', { text: 'four' })).toBe('TTS text exceeds 3 characters.');
  expect(await failure('clipboard.write', { text: 'four' })).toBe('Clipboard text exceeds 3 bytes');
  expect(await failure('canvas.present', { html: 'four' })).toBe('html exceeds maximum size of 3 bytes');
  expect(await failure('canvas.a2ui.push', { jsonl: '{}\n{}' })).toBe('jsonl exceeds maximum of 1 lines');
  expect(commandOf(bounded, 'system.run')!.description).toContain('timeoutMs (77, at most 600000)');
  await close(bounded);
});

it('the speech provider comes from the configuration', async () => {
  const preferring = machine({ speech: { provider: 'piper' } });
  expect(await runCommand(commandOf(preferring, 'tts.status'))).toMatchObject({
    configuredProvider: 'piper',
  });
  await close(preferring);
});
