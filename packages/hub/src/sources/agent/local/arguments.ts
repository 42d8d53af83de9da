/** How `openclaw agent --local` is told an order. */
import { PincerError } from '../../../core/errors.ts';
import type { Order } from '../backend.ts';
import { sizeText } from '../media/size-text.ts';

const START_GATEWAY = 'Start the gateway of OpenClaw: openclaw gateway';

/** An argument has room for 128 KiB on Linux: the message is in a file. */
export function argumentsFor(
  { sessionKey, agentId }: Pick<Order, 'sessionKey' | 'agentId'>,
  messageFile: string,
  timeoutMs: number,
): string[] {
  return [
    'agent',
    '--local',
    '--json',
    `--session-key=${sessionKey}`,
    ...(agentId === undefined ? [] : [`--agent=${agentId}`]),
    `--message-file=${messageFile}`,
    `--timeout=${Math.ceil(timeoutMs / 1_000)}`,
  ];
}

const BOM = '\u{feff}';

/** OpenClaw takes two byte order marks off the beginning, so that one of the message's own needs two before it. */
export const fileText = (message: string): string =>
  message.startsWith(BOM) ? BOM + BOM + message : message;

/** Throws what a person can do something about, before anything is started. */
export function checkOrder({ message, attachments }: Order, maxBytes: number): void {
  if (attachments.length > 0)
    throw refuse('Images and files can be sent to OpenClaw through its gateway alone, and none runs.');
  if (message.trim() === '')
    throw new PincerError('ARGUMENT_INVALID', 'The message is empty.', {
      hint: 'Say what OpenClaw is to do.',
    });
  if (!message.isWellFormed())
    throw new PincerError('ARGUMENT_INVALID', 'The message has half of a surrogate pair in it.', {
      hint: 'Send it as valid Unicode.',
    });
  if (COMPACT.test(message.trim()))
    throw refuse('OpenClaw takes no message that begins with /compact without its gateway, and none runs.');
  const size = Buffer.byteLength(message);
  if (size > maxBytes)
    throw refuse(
      `The message is ${sizeText(size)}, and without its gateway OpenClaw takes ${sizeText(maxBytes)}.`,
    );
}

const refuse = (message: string): PincerError =>
  new PincerError('ARGUMENT_INVALID', message, { hint: START_GATEWAY });

/** The one command that OpenClaw does not take for a text. */
const COMPACT = /^\/compact(?:\s|:|$)/i;

/** For whoever has asked for commands. */
export const remarksFor = ({ message, commands }: Pick<Order, 'message' | 'commands'>): string[] =>
  commands && /^\s*\/[a-z]/i.test(message)
    ? ['Commands of OpenClaw need its gateway: the message went to the agent as text']
    : [];
