/**
 * Media that are too large for an answer. They are kept in memory for a while, and a caller reads its own by
 * `resources/read`.
 */
import { randomBytes } from 'node:crypto';
import { PincerError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import { notExecuted, type Outcome } from '../../core/outcome.ts';
import { jsonBytes } from '../../core/wire/byte-text.ts';
import { answered } from '../outcome.ts';
import { roomIn } from './base64.ts';
import { LINE_ENVELOPE_BYTES, type MediaLinks } from './content-blocks.ts';
import { sizeText } from './name-and-size.ts';

interface MediaReader {
  readonly uri: string;
  readonly caller: string;
  /** Whether the client accepts no line longer than `maxReplyLineBytes`. */
  readonly isLine: boolean;
}

export interface LinkedMedia {
  /** Links that only this caller can read. */
  of(caller: string): MediaLinks;
  /** Answers `resources/read`: the whole, or the part that `?part=N` at the end of the URI names, counted from one. */
  read(reader: MediaReader): Outcome;
}

export const LINK_TEMPLATE = 'openclaw://media/{id}/{name}{?part}';

const PART = /\?part=([1-9]\d{0,5})$/;

interface Content {
  readonly bytes: Buffer;
  readonly mimeType: string;
}

interface Kept extends Content {
  readonly caller: string;
  readonly at: number;
}

export function createLinkedMedia(
  limits: Pick<Limits, 'maxShelfBytes' | 'shelfTtlMs' | 'maxReplyLineBytes'>,
  now: () => number,
): LinkedMedia {
  const kept = new Map<string, Kept>();
  let total = 0;
  /** How much of a file fits into one line. */
  const partBytes = Math.max(1, roomIn(limits.maxReplyLineBytes - LINE_ENVELOPE_BYTES));

  /** Drops expired media, and the oldest ones if there is no room. */
  function makeRoom(size: number): void {
    for (const [uri, { bytes, at }] of kept) {
      if (total + size <= limits.maxShelfBytes && now() - at <= limits.shelfTtlMs) return;
      kept.delete(uri);
      total -= bytes.length;
    }
  }

  function find(caller: string, uri: string): Content | undefined {
    makeRoom(0);
    const [whole = '', part] = uri.split(PART);
    const found = kept.get(whole);
    if (found?.caller !== caller) return undefined;
    return part === undefined ? found : partOf(found, Number(part), partBytes);
  }

  return {
    of: (caller) => ({
      link({ bytes, mimeType, name }) {
        makeRoom(bytes.length);
        const uri = `openclaw://media/${randomBytes(16).toString('hex')}/${encodeURIComponent(name)}`;
        kept.set(uri, { bytes, mimeType, caller, at: now() });
        total += bytes.length;
        return uri;
      },
    }),
    read({ uri, caller, isLine }) {
      const found = find(caller, uri);
      if (found === undefined) return notExecuted(notThere(uri));
      const { bytes, mimeType } = found;
      if (isLine && bytes.length > partBytes) return notExecuted(tooLong(uri, bytes.length, partBytes));
      const contents = [{ uri, mimeType, blob: bytes.toString('base64') }];
      return answered(jsonBytes({ contents }), 'legacy');
    },
  };
}

function partOf(whole: Content, part: number, partBytes: number): Content | undefined {
  const bytes = whole.bytes.subarray((part - 1) * partBytes, part * partBytes);
  return bytes.length === 0 ? undefined : { bytes, mimeType: 'application/octet-stream' };
}

const notThere = (uri: string): PincerError =>
  new PincerError('RESOURCE_UNKNOWN', `Resource not found: ${uri}`, {
    hint: 'Media of answers are kept for limits.shelfTtlMs, if there is room. Ask OpenClaw again.',
    data: { uri },
  });

/** A longer line would end the connection: the official SDK stops reading. */
function tooLong(uri: string, size: number, partBytes: number): PincerError {
  const parts = Math.ceil(size / partBytes);
  return new PincerError(
    'ARGUMENT_INVALID',
    `The resource is ${sizeText(size)}, too long for one line to this client.`,
    {
      hint: `Read ${parts} parts, ${uri}?part=1 to ?part=${parts}, and join them. Or read it over HTTP.`,
      data: { uri, parts },
    },
  );
}
