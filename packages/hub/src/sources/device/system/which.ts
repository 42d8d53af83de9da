/** `system.which`: where programs are. */
import { z } from 'zod';
import type { DevicePorts } from '../ports.ts';
import { findProgram } from '../programs/find-program.ts';
import { needed, texts } from '../registry/arguments.ts';
import type { Command } from '../registry/capability.ts';
import { CommandFailure } from '../registry/failure.ts';

const MAX_NAMES = 256;
const INPUT = z.object({ bins: needed(texts('Names of programs, without folders.')) });

export const whichCommand = ({ env, platform }: DevicePorts): Command<typeof INPUT> => ({
  description:
    'Says where programs are on this machine. Arguments: bins (names). Gives back {bins: {name: path}} with those that were found.',
  input: INPUT,
  output: z.object({
    bins: z.record(z.string(), z.string()).describe('Paths, under the names of those that were found.'),
  }),
  example: { bins: ['git', 'ffmpeg'] },
  annotations: { title: 'Find programs', readOnlyHint: true, idempotentHint: true },
  run({ bins = [] }) {
    if (bins.length === 0)
      throw new CommandFailure('Missing bins parameter', {
        hint: 'Give the names of programs, such as {"bins": ["git"]}.',
        notExecuted: true,
      });
    const found = bins.slice(0, MAX_NAMES).flatMap((name) => {
      const path = findProgram(name, env, platform);
      return path === undefined ? [] : [[name, path] as const];
    });
    return { bins: Object.fromEntries(found) };
  },
});
