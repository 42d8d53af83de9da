/** Arguments of `system.run` and `system.run.prepare`, as models read them; exec/request/ takes them apart. */
import { z } from 'zod';
import type { TimeoutLimits } from '../exec/request/read-request.ts';
import { needed } from '../registry/arguments.ts';

const strings = { type: 'array', items: { type: 'string' } };
const anything = (about: string, shape: Readonly<Record<string, unknown>>) =>
  z.unknown().optional().meta(shape).describe(about);

const COMMAND = {
  command: needed(
    anything(
      'The program and its arguments. A line is split at blanks; quotes are understood, nothing is expanded, and what only a shell understands is refused.',
      {
        anyOf: [
          { ...strings, minItems: 1 },
          { type: 'string', minLength: 1 },
        ],
      },
    ),
  ),
  args: anything('Further arguments, where "command" is a line.', strings),
  rawCommand: anything('The same as one line. It must say what "command" says.', { type: 'string' }),
  shell: anything('Refused: no shell runs commands.', {}),
  cwd: anything('A whole path of a folder. The home folder if absent.', { type: 'string' }),
  env: anything(
    'Variables to set. One that changes what a program loads, or looks like a secret, is refused.',
    {
      type: 'object',
      additionalProperties: { type: 'string' },
    },
  ),
};

export const runInput = ({ runTimeoutMs, maxRunTimeoutMs }: TimeoutLimits) =>
  z.object({
    ...COMMAND,
    timeoutMs: anything(
      `After so many milliseconds it is ended; ${runTimeoutMs} if absent.`,
      // No default: a client that fills it in would override what the caller says in "timeout".
      { type: 'number', minimum: 1, maximum: maxRunTimeoutMs },
    ),
    timeout: anything('The same.', { type: 'number', minimum: 1, maximum: maxRunTimeoutMs }),
  });

export type RunInput = ReturnType<typeof runInput>;

export const PREPARE_INPUT = z.object({
  ...COMMAND,
  agentId: anything('Given back.', { type: 'string' }),
  sessionKey: anything('Given back.', { type: 'string' }),
});

export const RUN_OUTPUT = z.object({
  stdout: z.string().describe('What it wrote, without blanks at the end.'),
  stderr: z.string().describe('What it wrote about errors; where it could not be started, why.'),
  exitCode: z.number().describe('0 where all went well, by custom; -1 where it never ran, or was ended.'),
  timedOut: z.boolean().describe('Whether it took too long and was ended.'),
  durationMs: z.number().describe('Milliseconds that it took.'),
  success: z.boolean().describe('Whether it ended by itself, with exit code 0.'),
  truncated: z.boolean().describe('Whether some of what it wrote is missing.'),
});

export const PREPARE_OUTPUT = z.object({
  cmdText: z.string().describe('The command as one line.'),
  plan: z
    .looseObject({
      argv: z.array(z.string()),
      cwd: z.string(),
      rawCommand: z.string(),
      commandText: z.string(),
      commandPreview: z.string().nullable(),
      agentId: z.string().nullable(),
      sessionKey: z.string().nullable(),
      path: z.string(),
      envHash: z.string(),
      digest: z.string(),
    })
    .describe('What exactly would run: arguments, program, folder, variables, files.'),
  execPolicy: z
    .object({ security: z.string(), ask: z.string() })
    .describe('ask is "always" where the gateway has to ask its people about it, else "off".'),
});
