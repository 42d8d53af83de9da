/** The tools `order_openclaw`, `order_status` and `order_stop`: their definitions, and how the arguments of an order are read. */
import { z } from 'zod';
import { PincerError } from '../core/errors.ts';
import { visible } from '../core/visible.ts';
import { parseBytes, type ByteText } from '../core/wire/byte-text.ts';
import { DuplicateKeyError, isObject, readElements, readMembers } from '../core/wire/members.ts';
import { plainString } from '../core/wire/message.ts';
import { readAttachments, type Attachment, type MediaLimits } from './media/read-attachments.ts';

const media = (kind: 'image' | 'file', example: string) =>
  z.object({
    data: z.string().describe(`Base64-encoded ${kind} data`),
    mimeType: z.string().describe(`MIME type (e.g., '${example}')`),
    filename: z.string().optional().describe('Optional filename'),
  });

const orderArguments = z.object({
  message: z.string().describe('The message to send to OpenClaw'),
  sessionKey: z.string().optional().describe('Optional session key for conversation continuity'),
  images: z
    .array(media('image', 'image/png'))
    .optional()
    .describe('Optional base64-encoded images (max 10, 15MB each)'),
  files: z
    .array(media('file', 'application/pdf'))
    .optional()
    .describe('Optional base64-encoded files (max 5, 15MB each)'),
});

const withAgent = orderArguments.extend({
  agent: z
    .string()
    .optional()
    .describe('Optional id of the OpenClaw agent to ask (default: the default agent)'),
});

type OrderArguments = z.infer<typeof withAgent>;

interface OrderTool {
  readonly name: 'order_openclaw';
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

interface OrderToolSettings {
  /** Whether callers may name an agent. */
  readonly agent?: boolean | undefined;
}

export function orderTool({ agent = false }: OrderToolSettings = {}): OrderTool {
  return {
    name: 'order_openclaw',
    description:
      'Send a message to OpenClaw and receive a response. The message will be processed as if typed by a user. Supports sending images, files (PDF, text, markdown, CSV, JSON), audio, video, and archives (ZIP, TAR.GZ) via base64 encoding.',
    inputSchema: inputSchema(orderSchema({ agent })),
  };
}

export const orderSchema = ({ agent = false }: OrderToolSettings = {}): z.ZodType<OrderArguments> =>
  agent ? withAgent : orderArguments;

interface ReadOrder {
  readonly message: string;
  readonly sessionKey: string | undefined;
  readonly agent: string | undefined;
  readonly attachments: readonly Attachment[];
}

/** Reads the arguments of `order_openclaw`. `agents`: those that callers may name, `*` for all. Throws a `PincerError`. */
export function readOrder(
  raw: ByteText | undefined,
  agents: readonly string[],
  limits: MediaLimits,
): ReadOrder {
  const parsed = orderSchema({ agent: agents.length > 0 }).safeParse(argumentsIn(raw));
  if (!parsed.success) throw refuse(firstFault(parsed.error), 'See the input schema of order_openclaw.');
  const { message, sessionKey, agent, images = [], files = [] }: OrderArguments = parsed.data;
  if (message.trim() === '' && images.length + files.length === 0)
    throw refuse('The message is empty.', 'Write what OpenClaw should do.');
  if (agent !== undefined && !agents.includes('*') && !agents.includes(agent))
    throw refuse(
      `The agent "${visible(agent.slice(0, 100))}" is not allowed here.`,
      `Allowed: ${agents.join(', ')}. To change this, edit agent.agents.`,
    );
  return { message, sessionKey, agent, attachments: readAttachments(images, files, limits) };
}

/** Reads member by member: one non-ASCII member would otherwise make a UTF-16 copy of all images. */
function argumentsIn(raw: ByteText | undefined): unknown {
  if (raw === undefined) return {};
  return valuesIn(raw, (key, value) => (MEDIA.has(key) ? mediaIn(value) : parseBytes(value)));
}

const MEDIA: ReadonlySet<string> = new Set(['images', 'files']);

/** Slices the data out of the request without a copy. */
function mediaIn(raw: ByteText): unknown {
  if (!raw.startsWith('[')) return parseBytes(raw);
  return readElements(raw).map((each) =>
    isObject(each)
      ? valuesIn(each, (_, value) => (value.startsWith('"') ? plainString(value) : parseBytes(value)))
      : parseBytes(each),
  );
}

function valuesIn(raw: ByteText, read: (key: string, value: ByteText) => unknown): object {
  try {
    return Object.fromEntries(readMembers(raw).map(({ key, raw: value }) => [key, read(key, value)]));
  } catch (error) {
    if (error instanceof DuplicateKeyError) throw refuse(error.message, 'Send each key once.');
    throw error;
  }
}

const refuse = (message: string, hint: string): PincerError =>
  new PincerError('ARGUMENT_INVALID', message, { hint });

const orderId = z.string().describe('The id that order_openclaw returned for the order');

const statusArguments = z.object({
  orderId,
  waitMs: z
    .int()
    .min(0)
    .optional()
    .describe('How many milliseconds to wait if there is no answer yet (default: as long as possible)'),
});

const stopArguments = z.object({ orderId });

interface StatusTool {
  readonly name: 'order_status' | 'order_stop';
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations: Readonly<Record<string, boolean>>;
}

/** For clients without tasks: returns the answer of an order that took long. */
export const orderStatusTool = (): StatusTool => ({
  name: 'order_status',
  description:
    'Get the answer to an earlier message to OpenClaw that took longer than order_openclaw could wait. Waits for the answer for a while; if OpenClaw is still working, returns its text so far.',
  inputSchema: inputSchema(statusArguments),
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
});

/** For clients without tasks: stops an order. */
export const orderStopTool = (): StatusTool => ({
  name: 'order_stop',
  description: 'Stop OpenClaw from working on an earlier message that it has not answered yet.',
  inputSchema: inputSchema(stopArguments),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
});

export const statusToolSchemas = { order_status: statusArguments, order_stop: stopArguments } as const;

function inputSchema(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}

/** The first validation error as a sentence. */
export function firstFault({ issues }: z.ZodError): string {
  const { path, message } = issues[0]!;
  return `${path.length === 0 ? 'The arguments' : path.join('.')}: ${message}.`;
}
