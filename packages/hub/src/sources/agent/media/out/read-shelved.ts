/** `resources/read` of what an answer has linked. */
import { PincerError } from '../../../../core/errors.ts';
import { notExecuted, type Outcome } from '../../../../core/outcome.ts';
import { jsonBytes } from '../../../../core/wire/byte-text.ts';
import { roomIn } from '../base64.ts';
import { LINE_ENVELOPE_BYTES, type MediaLimits } from '../limits.ts';
import { sizeText } from '../size-text.ts';
import type { Shelf } from './shelf.ts';

export interface ShelfReader {
  readonly uri: string;
  readonly caller: string;
  /** It takes no longer line than `maxReplyLineBytes`. */
  readonly isLine: boolean;
}

export function readShelved(
  shelf: Shelf,
  { uri, caller, isLine }: ShelfReader,
  { maxReplyLineBytes }: Pick<MediaLimits, 'maxReplyLineBytes'>,
): Outcome {
  const partBytes = Math.max(1, roomIn(maxReplyLineBytes - LINE_ENVELOPE_BYTES));
  const found = shelf.find(caller, uri, partBytes);
  if (found === undefined) return notExecuted(notThere(uri));
  const { bytes, mimeType } = found;
  if (isLine && bytes.length > partBytes) return notExecuted(tooLong(uri, bytes.length, partBytes));
  const contents = [{ uri, mimeType, blob: bytes.toString('base64') }];
  return { kind: 'ok', result: jsonBytes({ contents }), era: 'legacy', extra: '' };
}

const notThere = (uri: string): PincerError =>
  new PincerError('RESOURCE_UNKNOWN', `Resource not found: ${uri}`, {
    hint: 'What OpenClaw answers with is kept for limits.shelfTtlMs, as long as there is room. Ask it again.',
    data: { uri },
  });

/** Whoever sent it all the same would end the connection: the official SDK's reader gives up there. */
function tooLong(uri: string, size: number, partBytes: number): PincerError {
  const parts = Math.ceil(size / partBytes);
  return new PincerError(
    'ARGUMENT_INVALID',
    `This is ${sizeText(size)}, and does not fit through a line to this client.`,
    {
      hint: `Read it in ${parts} parts, ${uri}?part=1 to ?part=${parts}, and join them; or over HTTP.`,
      data: { uri, parts },
    },
  );
}
