/** Who turns speech into text: a program on this machine, or a service. */
import { z } from 'zod';
import { isSecure } from '../lib/loopback.ts';

/** Stands for the path of the file with the speech. */
const FILE_WORD = '{file}';

const endpoint = z.url({ protocol: /^https?$/ }).refine((text) => isSafe(URL.parse(text)), {
  error: 'must be https (plain http only to 127.0.0.0/8, ::1 or localhost), without a user or password',
});

const isSafe = (url: URL | null): boolean =>
  url === null || (isSecure(url) && url.username === '' && url.password === '');

export const transcriptionSchema = z
  .strictObject({
    /** With its arguments, one of them with `{file}` in it; the text is what it writes to stdout. No shell takes part. */
    command: z.array(z.string().min(1)).min(2).optional(),
    /** For the command, besides the few variables that every program has. */
    env: z.record(z.string(), z.string()).optional(),
    provider: z.enum(['deepgram', 'openai']).optional(),
    apiKey: z.string().min(1).optional(),
    model: z.string().min(1).optional(),
    /** The whole address, of the service itself where nothing is said. What is in its query is kept. */
    url: endpoint.optional(),
    timeoutMs: z
      .int()
      .min(1)
      .max(24 * 3_600_000)
      .default(120_000),
  })
  .superRefine((given, context) => {
    const wrong = (key: keyof typeof given, message: string): void =>
      context.addIssue({ code: 'custom', path: [key], message });
    const { command, env, provider, apiKey, url } = given;
    if (command === undefined && env !== undefined) wrong('env', 'goes with a command');
    if (command !== undefined) {
      if (!command.slice(1).some((word) => word.includes(FILE_WORD)))
        wrong('command', `needs ${FILE_WORD} among its arguments, where the path of the file goes`);
      for (const key of ['provider', 'apiKey', 'model', 'url'] as const)
        if (given[key] !== undefined) wrong(key, 'does not go with a command');
    } else if (provider === undefined) wrong('provider', 'is missing, and so is a command');
    else if (apiKey === undefined && url === undefined)
      wrong('apiKey', `is missing: ${provider} takes nothing without one`);
  });

export type TranscriptionSettings = z.output<typeof transcriptionSchema>;
