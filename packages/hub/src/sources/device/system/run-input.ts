/** Arguments of `system.run` and `system.run.prepare`, as models read them; exec/request/ takes them apart. */
import { z } from 'zod';
import type { TimeoutLimits } from '../exec/request/read-request.ts';

const strings = { type: 'array', items: { type: 'string' } };
const anything = (about: string, shape: Readonly<Record<string, unknown>>) =>
  z.unknown().optional().meta(shape).describe(about);

const COMMAND = {
  command: anything(
    'The program and its arguments. A line is split at blanks; quotes are understood, nothing is expanded, and what only a shell understands is refused.',
    { anyOf: [strings, { type: 'string' }] },
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
      `After so many milliseconds it is ended. ${runTimeoutMs} if absent, ${maxRunTimeoutMs} at most.`,
      { type: 'number' },
    ),
    timeout: anything('The same.', { type: 'number' }),
  });

export type RunInput = ReturnType<typeof runInput>;

export const PREPARE_INPUT = z.object({
  ...COMMAND,
  agentId: anything('Given back.', { type: 'string' }),
  sessionKey: anything('Given back.', { type: 'string' }),
});

export const RUN_OUTPUT = z.object({
  stdout: z.string(),
  stderr: z.string(),
  exitCode: z.number(),
  timedOut: z.boolean(),
  durationMs: z.number(),
  success: z.boolean(),
  truncated: z.boolean(),
});

export const PREPARE_OUTPUT = z.object({
  cmdText: z.string(),
  plan: z.looseObject({
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
  }),
  execPolicy: z.object({ security: z.string(), ask: z.string() }),
});
