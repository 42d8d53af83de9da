/** `canvas.present`, `hide`, `navigate`, `eval` and `snapshot`, with their arguments. */
import { z } from 'zod';
import type { Limits } from '../../core/limits.ts';
import { isRecord } from '../../lib/record.ts';
import { pictureItem } from '../media/clip.ts';
import { pictureFormat } from '../media/picture.ts';
import { clampedInt, flag, optionalText, requiredText, text } from '../registry/arguments.ts';
import { Base64, type Command, CommandFailure } from '../registry/capability.ts';
import { type Canvas, type Content, withCanvasFailures, UNSUPPORTED_FORMAT, type Place } from './canvas.ts';
import { readUrl, refusalOf } from './url-rules.ts';

/** Limits of content, scripts and their results. */
export type ShowLimits = Pick<Limits, 'canvasEvalMs' | 'maxCanvasEvalBytes' | 'maxCanvasHtmlBytes'>;

interface ShowParts {
  readonly canvas: Canvas;
  /** `host:port` that the person has allowed besides the public web. */
  readonly allow: ReadonlySet<string>;
  /** A sentence that tells whether the canvas is visible on this machine. */
  readonly shownHow: string;
  readonly limits: ShowLimits;
}

const define = <I extends z.ZodObject>(command: Command<I>): Command<I> => command;

export const showCommands = ({ canvas, allow, shownHow, limits }: ShowParts) => ({
  'canvas.present': define({
    description:
      'Shows HTML or a public https page on the canvas: in a window if there is a display, else on an invisible page. Arguments: html or url, and width, height, x, y, title. Without html and url it shows the previous content. Returns {presented: true}.',
    here: shownHow,
    input: z.object({
      url: optionalText('A public https address to show.'),
      target: optionalText('Another name for url.'),
      html: optionalText('HTML to show. Its scripts run, and reach only the public web.'),
      ...placeArguments,
      title: text('Canvas', 'Title of the window if the HTML has none.'),
      alwaysOnTop: flag(false, 'Ignored: browsers cannot keep a window above others.'),
    }),
    output: z.object({ presented: z.literal(true) }),
    example: { html: '<h1>Hello</h1>', width: 600, height: 400 },
    annotations: {
      title: 'Show the canvas',
      readOnlyHint: false,
      destructiveHint: false,
      openWorldHint: true,
    },
    async run(args, { signal }) {
      const content = contentOf(args, allow, limits);
      const isPlaced = content !== undefined || !canvas.isOpen;
      const place = isPlaced ? placeOf(args) : undefined;
      await withCanvasFailures(canvas.present(content, place, signal), 'Present failed');
      return { presented: true };
    },
  }),
  'canvas.hide': define({
    description: 'Hides the canvas and keeps its content. Returns {hidden: true}.',
    input: z.object({}),
    output: z.object({ hidden: z.literal(true) }),
    annotations: {
      title: 'Hide the canvas',
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
    },
    async run(_args, { signal }) {
      await withCanvasFailures(canvas.hide(signal), 'Hide failed');
      return { hidden: true };
    },
  }),
  'canvas.navigate': define({
    description:
      'Shows the page at url on the canvas. Returns {navigated: true, opener: "canvas", url}. Only public https addresses with a plain host name are shown; for others it returns {navigated: false, opener: "denied", url, reason}.',
    input: z.object({ url: requiredText('Missing url parameter', 'An absolute https address.') }),
    output: z.object({
      navigated: z.boolean(),
      opener: z.enum(['canvas', 'denied']),
      url: z.string(),
      reason: z.string().optional(),
    }),
    example: { url: 'https://example.com/' },
    annotations: { title: 'Go to a page', readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    async run(args, { signal }) {
      const url = readUrl(args.url);
      const reason = refusalOf(url, allow);
      if (reason !== undefined) return { navigated: false, opener: 'denied', url: url.href, reason };
      const shown = canvas.present({ kind: 'url', url: url.href }, undefined, signal);
      await withCanvasFailures(shown, 'Navigate failed');
      return { navigated: true, opener: 'canvas', url: url.href };
    },
  }),
  'canvas.eval': define({
    description: `Runs JavaScript in the page on the canvas and returns {result}: the value of the expression as JSON, or null. Promises are awaited. Timeout: ${limits.canvasEvalMs / 1000} s.`,
    input: z.object({
      script: script,
      javaScript: optionalText('Another name for script.'),
      javascript: optionalText('Another name for script.'),
    }),
    output: z.object({ result: z.unknown() }),
    example: { script: 'document.title' },
    annotations: {
      title: 'Run a script on the canvas',
      readOnlyHint: false,
      destructiveHint: false,
      openWorldHint: true,
    },
    async run({ script: plain, javaScript, javascript }, { signal }) {
      const expression = [plain, javaScript, javascript].find(
        (each) => each !== undefined && each.trim() !== '',
      );
      if (expression === undefined)
        throw new CommandFailure('Missing script parameter', { notExecuted: true });
      const deadline = AbortSignal.timeout(limits.canvasEvalMs);
      const wanted = AbortSignal.any([signal, deadline]);
      const result = await withCanvasFailures(
        canvas.use((page) => page.evaluate(expression, wanted), wanted),
        'Eval failed',
      ).catch((error: unknown) => {
        throw deadline.aborted ? tooLong(error, limits) : error;
      });
      return { result: bounded(result, limits) };
    },
  }),
  'canvas.snapshot': define({
    description:
      'Takes a picture of the canvas. Arguments: format (png or jpeg), maxWidth and quality. Returns {format, base64, width, height} and the picture.',
    input: z.object({
      format: text('png', 'png or jpeg (or jpg).', ['png', 'jpeg', 'jpg']),
      maxWidth: clampedInt(32, 7_680, 1_200, 'Maximum width in pixels.'),
      quality,
    }),
    output: z.object({ format: z.string(), base64: z.string().optional(), width: z.int(), height: z.int() }),
    example: { format: 'jpeg', maxWidth: 800 },
    annotations: { title: 'Picture of the canvas', readOnlyHint: true },
    bulky: ['base64'],
    media: pictureItem,
    async run({ format: name, maxWidth, quality: percent }, { signal }) {
      const format = pictureFormat(name);
      if (format === undefined) throw new CommandFailure(UNSUPPORTED_FORMAT, { notExecuted: true });
      const { bytes, width, height } = await withCanvasFailures(
        canvas.use((page) => page.screenshot({ format, maxWidth, quality: percent }), signal),
        'Snapshot failed',
      );
      return { format, base64: new Base64(bytes), width, height };
    },
  }),
});

interface Presented {
  readonly url?: string | undefined;
  readonly target?: string | undefined;
  readonly html?: string | undefined;
  readonly title: string;
}

/** Returns undefined to keep the previous content. */
function contentOf(
  { url, target, html, title }: Presented,
  allow: ReadonlySet<string>,
  { maxCanvasHtmlBytes }: ShowLimits,
): Content | undefined {
  const address = [url, target].find((each) => each !== undefined && each.trim() !== '');
  if (address !== undefined) {
    const read = readUrl(address);
    const reason = refusalOf(read, allow);
    if (reason !== undefined)
      throw new CommandFailure(`CANVAS_URL_DENIED: ${reason}`, {
        code: 'CANVAS_URL_DENIED',
        notExecuted: true,
        hint: 'Only public https pages are shown. Present html instead, or ask the person to allow this host and port.',
      });
    return { kind: 'url', url: read.href };
  }
  if (html === undefined) return undefined;
  if (Buffer.byteLength(html) > maxCanvasHtmlBytes)
    throw new CommandFailure(`html exceeds maximum size of ${maxCanvasHtmlBytes} bytes`, {
      notExecuted: true,
    });
  return { kind: 'html', html, title };
}

const tooLong = (cause: unknown, { canvasEvalMs }: ShowLimits): CommandFailure =>
  new CommandFailure('Eval failed', {
    cause,
    hint: `The script took longer than ${canvasEvalMs / 1000} s and was stopped.`,
  });

function bounded(result: unknown, { maxCanvasEvalBytes }: ShowLimits): unknown {
  const { length } = JSON.stringify(result) ?? '';
  if (length <= maxCanvasEvalBytes) return result ?? null;
  throw new CommandFailure('Eval failed', {
    hint: `The script returned more than ${maxCanvasEvalBytes} bytes.`,
  });
}

const SIZE = { min: 100, max: 7_680 };
const EDGE = 16_384;
const INTEGER = { type: 'integer' };

export const placeArguments = {
  width: clampedInt(SIZE.min, SIZE.max, 800, 'Width in pixels.'),
  height: clampedInt(SIZE.min, SIZE.max, 600, 'Height in pixels.'),
  x: clampedInt(-EDGE, EDGE, -1, 'Left edge of the window; -1 is the centre.'),
  y: clampedInt(-EDGE, EDGE, -1, 'Top edge of the window; -1 is the centre.'),
  placement: z
    .record(z.string(), z.unknown())
    .optional()
    .catch(undefined)
    .meta({ properties: { x: INTEGER, y: INTEGER, width: INTEGER, height: INTEGER } })
    .describe('The same values as an object. It overrides the other four.'),
};

const placement = z.object({
  width: placeArguments.width,
  height: placeArguments.height,
  x: placeArguments.x,
  y: placeArguments.y,
});

type PlaceArguments = z.output<typeof placement> & { placement?: unknown };

export function placeOf(args: PlaceArguments): Place {
  const { width, height, x, y } = isRecord(args.placement) ? placement.parse(args.placement) : args;
  return { width, height, ...(x === -1 || y === -1 ? {} : { position: { x, y } }) };
}

/** 1 to 100. Values below 1 are fractions, as other nodes accept them. */
export const quality = z
  .number()
  .optional()
  .catch(undefined)
  .transform((value = 80) =>
    Math.min(100, Math.max(1, Math.round(value > 0 && value < 1 ? value * 100 : value))),
  )
  .meta({ minimum: 0, maximum: 100, default: 80 })
  .describe('Quality of a JPEG in percent, or as a fraction below 1.');

const script = optionalText(
  'JavaScript: an expression, or statements. The result is the value of the last one. Required, here or as javaScript.',
);
