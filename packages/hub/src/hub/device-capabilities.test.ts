import { expect, it } from 'vitest';
import { realPorts, runCommand } from '../../../../test/kit/device-ports.ts';
import { deviceSchema } from '../config/device-schema.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import { builtIn } from './device-capabilities.ts';

it('what may be done on this machine is bounded by the limits of the configuration', async () => {
  const { capabilities, close } = builtIn({
    ...realPorts({ PATH: '' }),
    settings: () => deviceSchema.parse({}),
    app: {
      gateway: () => undefined,
      settings: { get: () => undefined, set: () => Promise.resolve() },
    },
    limits: {
      ...DEFAULT_LIMITS,
      maxSpeechChars: 3,
      maxClipboardBytes: 3,
      maxCanvasHtmlBytes: 3,
      maxA2uiLines: 1,
      runTimeoutMs: 77,
    },
  });
  const command = (name: string) =>
    capabilities.map(({ commands }) => commands.get(name)).find((each) => each !== undefined);
  const failure = (name: string, args: object) =>
    runCommand(command(name), args).then(
      () => undefined,
      (error: Error) => error.message,
    );
  expect(await failure('tts.speak', { text: 'four' })).toBe('TTS text exceeds 3 characters.');
  expect(await failure('clipboard.write', { text: 'four' })).toBe('Clipboard text exceeds 3 bytes');
  expect(await failure('canvas.present', { html: 'four' })).toBe('html exceeds maximum size of 3 bytes');
  expect(await failure('canvas.a2ui.push', { jsonl: '{}\n{}' })).toBe('jsonl exceeds maximum of 1 lines');
  expect(command('system.run')!.description).toContain('timeoutMs (77, at most 600000)');
  for (const capability of capabilities) await capability.close?.();
  await close();
});
