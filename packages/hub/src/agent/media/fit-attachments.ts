/** Fits attachments into the limits of the gateway: scales images down in a child process, and tells the caller. */
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { PincerError } from '../../core/errors.ts';
import { DEFAULT_LIMITS, type Limits } from '../../core/limits.ts';
import { type Environment, safeFolder, withWholePaths } from '../../lib/process.ts';
import { oneAtATime } from '../../lib/time.ts';
import { decodedSize, encodedLength, roomIn } from './base64.ts';
import { IMAGE_TYPES } from './media-types.ts';
import { sizeText } from './name-and-size.ts';
import type { Attachment } from './read-attachments.ts';
import {
  refuse,
  unreadable,
  type ScaleOrder,
  type ScaleResult,
  type Source,
  type Step,
} from './scale-image.ts';

export const FIT_LIMITS = {
  /** Maximum number of attempts per image. Each one uses the result of the one before. */
  maxTries: 5,
  /** Images are not scaled below this size: nothing could be recognized. */
  minBytes: 64 * 1024,
} as const;

export type FitLimits = { readonly [K in keyof typeof FIT_LIMITS]: number } & Pick<
  Limits,
  'maxImagePixels' | 'maxScaleMs'
>;

/** Scaling needs much memory, so all orders together scale one image at a time. */
const inTurn = oneAtATime();

interface Fitted {
  readonly attachments: Attachment[];
  /** One for each image that was changed. */
  readonly remarks: string[];
}

export interface FitParts {
  readonly limits?: Partial<FitLimits>;
  /** Node options of the child process. */
  readonly nodeOptions?: readonly string[];
}

/** Attachments that fit stay unchanged. Throws a `PincerError` if one cannot be made to fit, or the signal's reason. */
export async function fitAttachments(
  attachments: readonly Attachment[],
  room: Room,
  signal: AbortSignal,
  { limits: given, nodeOptions = [] }: FitParts = {},
): Promise<Fitted> {
  const parts = {
    limits: { ...DEFAULT_LIMITS, ...FIT_LIMITS, ...given },
    nodeOptions,
  };
  const fit = planFit(attachments, room, parts.limits);
  const fitted: Fitted = { attachments: [], remarks: [] };
  for (const each of attachments) {
    if (each.kind === 'file' || each.size <= fit.maxImageBytes) {
      fitted.attachments.push(each);
      continue;
    }
    const scale = () => scaleInChild(each, fit.maxImageBytes, parts, signal);
    const scaled = await inTurn(scale, { signal });
    if (scaled === undefined) throw withoutSharp(each, fit);
    const image = remade(each, scaled);
    fitted.attachments.push(image);
    fitted.remarks.push(remarkOn(each, image, scaled, fit));
  }
  return fitted;
}

const withoutSharp = ({ name, size }: Attachment, { why }: Fit): PincerError =>
  new PincerError('ARGUMENT_INVALID', `${name} is too large: it is ${sizeText(size)}, and ${why}.`, {
    hint: 'Send a smaller one, or install sharp beside the hub, so that Pincer can scale images down.',
  });

function remade(image: Attachment, { data, after }: ScaledInChild): Attachment {
  const mimeType = `image/${after.format}`;
  const name = mimeType === image.mimeType ? image.name : renamed(image.name, IMAGE_TYPES.get(mimeType)!);
  return { kind: 'image', mimeType, name, size: decodedSize(data)!, data };
}

const renamed = (name: string, ending: string): string =>
  `${name.replace(/(?<=.)\.(?:png|gif)$/i, '')}.${ending}`;

/** One sentence; a second one for an animation. */
function remarkOn(
  { name, size }: Attachment,
  image: Attachment,
  { before, after }: ScaledInChild,
  { why }: Fit,
): string {
  const isSmaller = after.width < before.width || after.height < before.height;
  const from = `${before.width}×${before.height} (${sizeText(size)})`;
  const to = `${after.width}×${after.height} (${sizeText(image.size)})`;
  return [
    `${name} was ${isSmaller ? 'scaled down' : 'compressed'} from ${from} to ${to}`,
    image.name === name ? '' : ` and is now ${image.name}`,
    `: ${why}.`,
    before.frames > 1 ? ` Only the first of its ${before.frames} frames is kept.` : '',
  ].join('');
}

/** The limits of the gateway, and the size of the message. */
export interface Room {
  /** Bytes of an image. */
  readonly maxImageBytes: number;
  /** Bytes of any other file. */
  readonly maxBytes: number;
  /** Bytes of the whole frame: one JSON text, with media in base64. */
  readonly maxFrameBytes: number;
  /** Bytes of the message in that frame. */
  readonly messageBytes: number;
}

interface Fit {
  /** Larger images have to be scaled down to this size. */
  readonly maxImageBytes: number;
  /** The reason, as the end of a sentence. */
  readonly why: string;
}

/** Room for the JSON around the message, and around each attachment. */
const ENVELOPE_BYTES = 4 * 1024;
const ENTRY_BYTES = 256;

const ELSEWHERE = 'put it where the agent can read it and name the place';

/** Computes the largest size of an image with which everything fits into one frame. Throws if scaling cannot help. */
export function planFit(
  attachments: readonly Attachment[],
  room: Room,
  { minBytes }: Pick<FitLimits, 'minBytes'>,
): Fit {
  const perImage = Math.min(room.maxImageBytes, room.maxBytes);
  for (const each of attachments)
    if (each.kind === 'file' && each.size > room.maxBytes)
      throw new PincerError(
        'ARGUMENT_INVALID',
        `${each.name} is too large: ${each.size} bytes. The gateway accepts files up to ${room.maxBytes} bytes (${sizeText(room.maxBytes)}).`,
        { hint: `Send a smaller one, or ${ELSEWHERE}.` },
      );
  const fixed = attachments.reduce(
    (sum, each) => sum + around(each) + (each.kind === 'file' ? each.data.length : 0),
    ENVELOPE_BYTES + room.messageBytes,
  );
  const images = attachments.filter(({ kind }) => kind === 'image');
  const left = room.maxFrameBytes - fixed;
  const lengths = images.map(({ data, size }) => (size > perImage ? encodedLength(perImage) : data.length));
  if (lengths.reduce((sum, length) => sum + length, 0) <= left)
    return { maxImageBytes: perImage, why: `the gateway accepts images up to ${sizeText(perImage)}` };
  const share = roomIn(fairShare(lengths, left));
  if (share < Math.min(minBytes, perImage)) throw tooMuch(attachments, room);
  return { maxImageBytes: share, why: `the gateway accepts ${sizeText(room.maxFrameBytes)} in total` };
}

/** In JSON a character of the name takes up to six bytes. */
const around = ({ name, mimeType }: Attachment): number => ENTRY_BYTES + 6 * name.length + mimeType.length;

/** The largest share per item such that all fit into `room`. Items that need less leave the rest to the others. */
function fairShare(needs: readonly number[], room: number): number {
  let left = room;
  const sorted = needs.toSorted((a, b) => a - b);
  for (const [index, need] of sorted.entries()) {
    const share = left / (sorted.length - index);
    if (need > share) return Math.max(0, share);
    left -= need;
  }
  return Math.max(0, left);
}

function tooMuch(attachments: readonly Attachment[], { maxFrameBytes, messageBytes }: Room): PincerError {
  const all = attachments.reduce(
    (sum, each) => sum + around(each) + each.data.length,
    ENVELOPE_BYTES + messageBytes,
  );
  const files = attachments.filter(({ kind }) => kind === 'file');
  // Images would have been scaled down.
  const [largest] = (files.length > 0 ? files : attachments).toSorted((a, b) => b.size - a.size);
  const most =
    largest === undefined || largest.data.length < messageBytes
      ? `the message itself (${sizeText(messageBytes)})`
      : `${largest.name} (${sizeText(largest.size)})`;
  return new PincerError(
    'ARGUMENT_INVALID',
    `Message, images and files are ${sizeText(all)} together when sent. The gateway accepts ${sizeText(maxFrameBytes)}. The largest is ${most}.`,
    { hint: `Send some of them in further messages with the same sessionKey, or ${ELSEWHERE}.` },
  );
}

interface ScaledInChild {
  /** Base64. */
  readonly data: string;
  readonly before: Source;
  readonly after: Step;
}

const PROGRAM = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './scale-child.ts' : './scale-child.js', import.meta.url),
);
/** The child inherits only what it needs to start. */
const INHERITED = ['LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'SYSTEMROOT'];

/** Returns undefined if sharp is not installed for this machine. Rejects with the signal's reason if aborted. */
async function scaleInChild(
  image: Attachment,
  maxBytes: number,
  { limits, nodeOptions }: { readonly limits: FitLimits; readonly nodeOptions: readonly string[] },
  signal: AbortSignal,
): Promise<ScaledInChild | undefined> {
  const order: ScaleOrder = { name: image.name, maxBytes, limits };
  const late = AbortSignal.timeout(limits.maxScaleMs);
  const child = spawn(process.execPath, [...nodeOptions, PROGRAM], {
    cwd: safeFolder(),
    env: environmentOf(process.env),
    stdio: ['pipe', 'pipe', 'ignore'],
    signal: AbortSignal.any([signal, late]),
    killSignal: 'SIGKILL',
    windowsHide: true,
  });
  const output: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => output.push(part));
  // The child may exit before it has read everything.
  child.stdin.on('error', () => undefined);
  child.stdin.write(`${JSON.stringify(order)}\n`);
  child.stdin.end(Buffer.from(image.data, 'base64'));
  const failure = await failureOf(child);
  signal.throwIfAborted();
  if (late.aborted)
    throw refuse(`${image.name} could not be scaled down within ${limits.maxScaleMs / 1000} seconds.`);
  // The output of a failed child may be incomplete.
  if (failure !== undefined) throw unreadable(image.name, new Error(`its reader ${failure}`));
  return resultOf(Buffer.concat(output));
}

/** Reads one line with the result, followed by the image. */
function resultOf(output: Buffer): ScaledInChild | undefined {
  const line = output.indexOf('\n');
  const result = JSON.parse(output.toString('utf8', 0, line)) as ScaleResult;
  switch (result.kind) {
    case 'scaled':
      return { data: output.toString('base64', line + 1), before: result.before, after: result.after };
    case 'refused':
      throw refuse(result.message);
    case 'no-sharp':
      return undefined;
  }
}

/** Resolves with undefined if the child exited normally. */
const failureOf = (child: ChildProcess): Promise<string | undefined> =>
  new Promise((resolve) => {
    child.once('error', (error) => resolve(`cannot be started: ${error.message}`));
    child.once('close', (code, killer) => {
      if (code === 0) resolve(undefined);
      else resolve(killer === null ? `exited with code ${code}` : `was ended by ${killer}`);
    });
  });

/** All of these variables are paths or lists of paths. */
const environmentOf = (env: Environment): Environment =>
  Object.fromEntries(
    INHERITED.flatMap((name) =>
      env[name] === undefined ? [] : [[name, withWholePaths(env[name], process.platform)]],
    ),
  );
