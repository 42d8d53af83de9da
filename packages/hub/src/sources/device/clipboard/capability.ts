import { z } from 'zod';
import type { DevicePorts } from '../ports.ts';
import { defineCapability, type Capability, type Readiness } from '../registry/capability.ts';
import { CommandFailure } from '../registry/failure.ts';
import { createClipboard, type ClipboardLimits } from './clipboard.ts';
import { clipboardPrograms } from './programs.ts';

const COMMANDS = ['clipboard.read', 'clipboard.write'];

export function createClipboardCapability(
  ports: DevicePorts,
  { limits }: { readonly limits: ClipboardLimits },
): Capability {
  const { maxClipboardBytes } = limits;
  const clipboard = createClipboard(ports, limits);
  return defineCapability({
    category: 'clipboard',
    commands: {
      'clipboard.read': {
        description:
          'Reads the text on the clipboard of this machine. No arguments. Gives back {text}; it is empty where there is no text.',
        input: z.object({}),
        output: z.object({ text: z.string() }),
        annotations: { title: 'Read the clipboard', readOnlyHint: true },
        run: async (_args, { signal }) => ({ text: await clipboard.read(signal) }),
      },
      'clipboard.write': {
        description: `Puts a text on the clipboard of this machine, in place of what is there. Arguments: text (at most ${maxClipboardBytes} bytes of UTF-8; an empty one clears it). Gives back {written: true, bytes}.`,
        input: z.object({ text: z.string({ error: 'Missing text parameter' }).describe('The new text.') }),
        output: z.object({ written: z.literal(true), bytes: z.int() }),
        example: { text: 'Hello' },
        annotations: {
          title: 'Write the clipboard',
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: true,
        },
        async run({ text }, { signal }) {
          const whole = text.toWellFormed();
          const bytes = Buffer.byteLength(whole);
          if (bytes > maxClipboardBytes)
            throw new CommandFailure(`Clipboard text exceeds ${maxClipboardBytes} bytes`, {
              notExecuted: true,
            });
          await clipboard.write(whole, signal);
          return { written: true, bytes };
        },
      },
    },
    readiness: () => Promise.resolve([readiness(ports)]),
    close: () => clipboard.close(),
  });
}

function readiness({ platform, env }: DevicePorts): Readiness {
  const found = clipboardPrograms(platform, env);
  return 'read' in found
    ? { commands: COMMANDS, available: true, backend: found.name }
    : { commands: COMMANDS, available: false, ...found };
}
