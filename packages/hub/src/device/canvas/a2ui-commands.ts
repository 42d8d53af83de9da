/** A2UI on the canvas: pushed as lines, reset, looked at. */
import { tmpdir } from 'node:os';
import { z } from 'zod';
import { isRecord } from '../../../core/is-record.ts';
import { BrowserError } from '../browser/browser-error.ts';
import { optionalText } from '../registry/arguments.ts';
import type { Command, CommandContext, Payload } from '../registry/capability.ts';
import { CommandFailure } from '../registry/failure.ts';
import { dumpOf } from './a2ui/dump.ts';
import { readJsonlFile } from './a2ui/jsonl-file.ts';
import type { A2uiLimits } from './a2ui/limits.ts';
import { A2UI_VERSION, COMPONENTS } from './a2ui/message.ts';
import { readJsonl } from './a2ui/read-jsonl.ts';
import type { Canvas } from './canvas.ts';
import type { SurfaceBook } from './surface-book.ts';
import { canvasFailure, inCanvasWords } from './texts.ts';

export interface A2uiParts {
  readonly canvas: Canvas;
  readonly book: SurfaceBook;
  /** There is a browser. */
  isReady(): boolean;
  /** There is a display, so that the person sees the canvas. */
  readonly isVisible: boolean;
  readonly limits: A2uiLimits;
}

const define = <I extends z.ZodObject>(command: Command<I>): Command<I> => command;

const pushInput = z.object({
  jsonl: optionalText(
    'Messages of A2UI v0.8, one as JSON on each line. Required, unless jsonlPath names a file.',
  ),
  jsonlPath: optionalText('A file with such lines, below the folder for temporary files.'),
  props: z
    .record(z.string(), z.unknown())
    .optional()
    .catch(undefined)
    .meta({ properties: { sessionKey: { type: 'string' } } })
    .describe('sessionKey: the session of the agent that hears of later clicks.'),
});

export function a2uiCommands({ canvas, book, isReady, isVisible, limits }: A2uiParts) {
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
    book.apply(messages, typeof sessionKey === 'string' ? sessionKey : undefined);
    await inCanvasWords(canvas.showSurfaces(signal), 'Push failed');
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
      `Shows or changes A2UI v0.8 surfaces on the canvas. Takes jsonl, a message on each line: surfaceUpdate, dataModelUpdate, beginRendering, deleteSurface; or jsonlPath. Components: ${COMPONENTS.join(', ')}. All lines are taken, or none. Gives back {pushed: true}.`,
      'Show A2UI',
    ),
    'canvas.a2ui.pushJSONL': pushing('The same as canvas.a2ui.push.', 'Show A2UI (JSONL)'),
    'canvas.a2ui.reset': define({
      description: 'Removes all A2UI surfaces from the canvas. Gives back {reset: true}.',
      input: z.object({}),
      output: z.object({ reset: z.literal(true) }),
      annotations: { title: 'Reset A2UI', readOnlyHint: false, destructiveHint: true, idempotentHint: true },
      async run(_args, { signal }) {
        book.clear();
        await inCanvasWords(canvas.redraw(signal), 'Reset failed');
        return { reset: true };
      },
    }),
    'canvas.a2ui.dump': define({
      description:
        'Gives back the A2UI surfaces as they are: {renderer, a2uiVersion, surfaceCount, surfaces} with components and data, also what the person has typed; what looks like a secret is redacted.',
      input: z.object({}),
      output: z.looseObject({
        renderer: z.enum(['web', 'none']),
        a2uiVersion: z.string(),
        surfaceCount: z.int(),
        surfaces: z.record(z.string(), z.unknown()),
      }),
      annotations: { title: 'A2UI surfaces', readOnlyHint: true },
      run: () => dumpOf(book.surfaces),
    }),
    'canvas.caps': define({
      description:
        'Says what the canvas can do here: {renderer, visible, eval, snapshot, navigate, a2ui: {version, push, reset, introspect}}. renderer "none": there is no browser. visible false: nobody sees it, pictures of it can be taken.',
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
      annotations: { title: 'What the canvas can do', readOnlyHint: true },
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
