/** `canvas.a2ui.*` and `canvas.caps`: pushes, resets and dumps A2UI surfaces. */
import { tmpdir } from 'node:os';
import { z } from 'zod';
import { isRecord } from '../../lib/record.ts';
import { BrowserError } from '../browser/page.ts';
import { optionalText } from '../registry/arguments.ts';
import { type Command, type CommandContext, type Payload, CommandFailure } from '../registry/capability.ts';
import { dumpOf } from './a2ui/surfaces.ts';
import {
  A2UI_VERSION,
  COMPONENTS,
  A2uiError,
  readMessage,
  type Message,
  type A2uiLimits,
} from './a2ui/message.ts';
import { type Canvas, canvasFailure, withCanvasFailures } from './canvas.ts';
import type { SurfaceStore } from './surface-store.ts';
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { sep } from 'node:path';

export interface A2uiParts {
  readonly canvas: Canvas;
  readonly store: SurfaceStore;
  /** Whether there is a browser. */
  isReady(): boolean;
  /** Whether there is a display, so that the person sees the canvas. */
  readonly isVisible: boolean;
  readonly limits: A2uiLimits;
}

const define = <I extends z.ZodObject>(command: Command<I>): Command<I> => command;

const pushInput = z.object({
  jsonl: optionalText('A2UI v0.8 messages, one JSON object per line. Required unless jsonlPath is given.'),
  jsonlPath: optionalText('Path of a file with such lines, below the temporary folder.'),
  props: z
    .record(z.string(), z.unknown())
    .optional()
    .catch(undefined)
    .meta({ properties: { sessionKey: { type: 'string' } } })
    .describe('sessionKey: the agent session that receives later clicks.'),
});

export function a2uiCommands({ canvas, store, isReady, isVisible, limits }: A2uiParts) {
  async function push(
    { jsonl, jsonlPath, props }: z.output<typeof pushInput>,
    { signal }: CommandContext,
  ): Promise<Payload> {
    const read = (path: string): Promise<string> => readJsonlFile(path, tmpdir(), limits.maxA2uiBytes);
    const lines = jsonl ?? (jsonlPath === undefined ? undefined : await read(jsonlPath));
    if (lines === undefined || lines.trim() === '')
      throw new CommandFailure('Missing jsonl or jsonlPath parameter', { notExecuted: true });
    const messages = readJsonl(lines, limits);
    if (!isReady()) throw canvasFailure(new BrowserError('missing', 'There is no browser.'), 'Push failed');
    const sessionKey = isRecord(props) ? props['sessionKey'] : undefined;
    store.apply(messages, typeof sessionKey === 'string' ? sessionKey : undefined);
    await withCanvasFailures(canvas.showSurfaces(signal), 'Push failed');
    return { pushed: true };
  }

  const pushing = (description: string, title: string) =>
    define({
      description,
      input: pushInput,
      output: z.object({ pushed: z.literal(true) }),
      example: {
        jsonl: [
          '{"surfaceUpdate":{"surfaceId":"main","components":[{"id":"root","component":{"Text":{"text":{"literalString":"Hello"}}}}]}}',
          '{"beginRendering":{"surfaceId":"main","root":"root"}}',
        ].join('\n'),
      },
      annotations: { title, readOnlyHint: false, destructiveHint: false },
      run: push,
    });

  return {
    'canvas.a2ui.push': pushing(
      `Shows or changes A2UI v0.8 surfaces on the canvas. Arguments: jsonl, one message per line (surfaceUpdate, dataModelUpdate, beginRendering, deleteSurface); or jsonlPath. Components: ${COMPONENTS.join(', ')}. Applies all lines, or none. Returns {pushed: true}.`,
      'Show A2UI',
    ),
    'canvas.a2ui.pushJSONL': pushing('The same as canvas.a2ui.push.', 'Show A2UI (JSONL)'),
    'canvas.a2ui.reset': define({
      description: 'Removes all A2UI surfaces from the canvas. Returns {reset: true}.',
      input: z.object({}),
      output: z.object({ reset: z.literal(true) }),
      annotations: { title: 'Reset A2UI', readOnlyHint: false, destructiveHint: true, idempotentHint: true },
      async run(_args, { signal }) {
        store.clear();
        await withCanvasFailures(canvas.redraw(signal), 'Reset failed');
        return { reset: true };
      },
    }),
    'canvas.a2ui.dump': define({
      description:
        'Returns the current A2UI surfaces: {renderer, a2uiVersion, surfaceCount, surfaces} with components and data, including what the person typed. Values that look like secrets are redacted.',
      input: z.object({}),
      output: z.looseObject({
        renderer: z.enum(['web', 'none']),
        a2uiVersion: z.string(),
        surfaceCount: z.int(),
        surfaces: z.record(z.string(), z.unknown()),
      }),
      annotations: { title: 'A2UI surfaces', readOnlyHint: true },
      run: () => dumpOf(store.surfaces),
    }),
    'canvas.caps': define({
      description:
        'Returns what the canvas can do here: {renderer, visible, eval, snapshot, navigate, a2ui: {version, push, reset, introspect}}. renderer "none": there is no browser. visible false: there is no display, but pictures can be taken.',
      input: z.object({}),
      output: z.object({
        renderer: z.enum(['web', 'none']),
        visible: z.boolean(),
        eval: z.boolean(),
        snapshot: z.boolean(),
        navigate: z.boolean(),
        a2ui: z.object({
          version: z.string(),
          push: z.boolean(),
          reset: z.boolean(),
          introspect: z.boolean(),
        }),
      }),
      annotations: { title: 'Canvas capabilities', readOnlyHint: true },
      run() {
        const can = isReady();
        return {
          renderer: can ? 'web' : 'none',
          visible: can && isVisible,
          eval: can,
          snapshot: can,
          navigate: can,
          a2ui: { version: A2UI_VERSION, push: can, reset: can, introspect: true },
        };
      },
    }),
  };
}

/**
 * Reads lines from a file below the temporary folder: an agent must not read other files this way.
 * `temporary` is the folder.
 */
export async function readJsonlFile(path: string, temporary: string, maxBytes: number): Promise<string> {
  const refuse = (cause: unknown): CommandFailure =>
    new CommandFailure('Failed to read jsonlPath', {
      notExecuted: true,
      hint: 'It must be a file below the temporary folder, also after links are resolved.',
      cause,
    });
  let file;
  try {
    // O_NOFOLLOW: opens exactly the checked path. O_NONBLOCK: a named pipe does not block.
    const real = await realpath(path);
    if (!real.startsWith(`${await realpath(temporary)}${sep}`)) throw new Error('outside of the folder');
    file = await open(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stat = await file.stat();
    if (!stat.isFile()) throw new Error('not a file');
    if (stat.size > maxBytes)
      throw new CommandFailure(`jsonl exceeds maximum size of ${maxBytes} bytes`, {
        notExecuted: true,
      });
    return await file.readFile('utf8');
  } catch (error) {
    throw error instanceof CommandFailure ? error : refuse(error);
  } finally {
    await file?.close();
  }
}

/** Parses messages from lines. Throws if any of them is invalid. Pure. */
export function readJsonl(jsonl: string, limits: A2uiLimits): Message[] {
  const { maxA2uiBytes: maxBytes, maxA2uiLines: maxLines, maxA2uiLineBytes: maxLineBytes } = limits;
  if (Buffer.byteLength(jsonl) > maxBytes)
    throw new CommandFailure(`jsonl exceeds maximum size of ${maxBytes} bytes`, { notExecuted: true });
  const lines = jsonl.split(/\r?\n/);
  if (lines.filter((line) => line.trim() !== '').length > maxLines)
    throw new CommandFailure(`jsonl exceeds maximum of ${maxLines} lines`, { notExecuted: true });
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      if (Buffer.byteLength(line) > maxLineBytes)
        throw new A2uiError(`it has more than ${maxLineBytes} bytes`);
      return [readMessage(parse(line), limits)];
    } catch (error) {
      throw lineFailure(error, index);
    }
  });
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new A2uiError('it is not JSON');
  }
}

function lineFailure(error: unknown, index: number): unknown {
  if (!(error instanceof A2uiError)) return error;
  return new CommandFailure(`Invalid A2UI message on line ${index + 1}: ${error.message}.`, {
    notExecuted: true,
    hint: 'Nothing was pushed. Each line is one message of A2UI v0.8 as JSON.',
  });
}
