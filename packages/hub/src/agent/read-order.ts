/** The arguments of `order_openclaw`, read and checked. */
import { PincerError } from '../core/errors.ts';
import { parseBytes, type ByteText } from '../core/wire/byte-text.ts';
import { DuplicateKeyError, isObject, readElements, readMembers } from '../core/wire/members.ts';
import { plainString } from '../core/wire/message.ts';
import { visible } from '../core/visible.ts';
import { readMedia, type Attachment, type MediaLimits } from './media/in/read-media.ts';
import { firstFault } from './tool-arguments.ts';
import { orderSchema, type OrderArguments } from './tool-definition.ts';

export interface ReadOrder {
  readonly message: string;
  readonly sessionKey: string | undefined;
  readonly agent: string | undefined;
  readonly attachments: readonly Attachment[];
}

/** `agents`: those that callers may name, `*` for all. Throws a `PincerError` that says what is wrong. */
export function readOrder(
  raw: ByteText | undefined,
  agents: readonly string[],
  limits: MediaLimits,
): ReadOrder {
  const parsed = orderSchema({ agent: agents.length > 0 }).safeParse(argumentsIn(raw));
  if (!parsed.success) throw refuse(firstFault(parsed.error), 'See the input schema of order_openclaw.');
  const { message, sessionKey, agent, images = [], files = [] }: OrderArguments = parsed.data;
  if (message.trim() === '' && images.length + files.length === 0)
    throw refuse('The message is empty.', 'Say what OpenClaw is to do.');
  if (agent !== undefined && !agents.includes('*') && !agents.includes(agent))
    throw refuse(
      `The agent "${visible(agent.slice(0, 100))}" may not be asked from here.`,
      `These may: ${agents.join(', ')}. The setting is agent.agents.`,
    );
  return { message, sessionKey, agent, attachments: readMedia(images, files, limits) };
}

/** Member by member: one that is not ASCII would otherwise make a copy of all images, twice as large. */
function argumentsIn(raw: ByteText | undefined): unknown {
  if (raw === undefined) return {};
  return valuesIn(raw, (key, value) => (MEDIA.has(key) ? mediaIn(value) : parseBytes(value)));
}

const MEDIA: ReadonlySet<string> = new Set(['images', 'files']);

/** The data is a part of the message that came, and no copy of it. */
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
    if (error instanceof DuplicateKeyError) throw refuse(error.message, 'Say it once.');
    throw error;
  }
}

const refuse = (message: string, hint: string): PincerError =>
  new PincerError('ARGUMENT_INVALID', message, { hint });
