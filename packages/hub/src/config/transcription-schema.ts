/** Settings for speech to text: a program on this machine, or a service. */
import { z } from 'zod';
import { isSecure } from '../lib/loopback.ts';

/** Placeholder for the path of the audio file. */
const FILE_WORD = '{file}';

const endpoint = z.url({ protocol: /^https?$/ }).refine((text) => isSafe(URL.parse(text)), {
  error: 'must be https (plain http only to 127.0.0.0/8, ::1 or localhost), without a user or password',
});

const isSafe = (url: URL | null): boolean =>
  url === null || (isSecure(url) && url.username === '' && url.password === '');

export const transcriptionSchema = z
  .strictObject({
    /** Program and arguments, one of which contains `{file}`. It prints the text to stdout. Runs without a shell. */
    command: z.array(z.string().min(1)).min(2).optional(),
    /** Extra environment variables for the command. */
    env: z.record(z.string(), z.string()).optional(),
    provider: z.enum(['deepgram', 'openai']).optional(),
    apiKey: z.string().min(1).optional(),
    model: z.string().min(1).optional(),
    /** The complete URL including its query; default: the URL of the service. */
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
    if (command === undefined && env !== undefined) wrong('env', 'works only with a command');
    if (command !== undefined) {
      if (!command.slice(1).some((word) => word.includes(FILE_WORD)))
        wrong('command', `needs ${FILE_WORD} among its arguments, as the place for the path of the file`);
      for (const key of ['provider', 'apiKey', 'model', 'url'] as const)
        if (given[key] !== undefined) wrong(key, 'cannot be combined with a command');
    } else if (provider === undefined) wrong('provider', 'is missing; set a provider or a command');
    else if (apiKey === undefined && url === undefined)
      wrong('apiKey', `is missing: ${provider} requires one`);
  });

export type TranscriptionSettings = z.output<typeof transcriptionSchema>;
