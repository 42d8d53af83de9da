/** What does not fit through a client's line, kept for a while so that it can be read as a resource. */
import { randomBytes } from 'node:crypto';
import type { Limits } from '../../../core/limits.ts';
import type { MediaShelf } from './content-blocks.ts';

export interface Shelved {
  readonly bytes: Buffer;
  readonly mimeType: string;
}

export interface Shelf {
  /** Where things are kept for one caller: nobody else finds them. */
  of(caller: string): MediaShelf;
  /** All of it, or with `?part=N` at the end of the URI that part of it, from one on. */
  find(caller: string, uri: string, partBytes: number): Shelved | undefined;
}

export const SHELF_TEMPLATE = 'openclaw://media/{id}/{name}{?part}';

const PART = /\?part=([1-9]\d{0,5})$/;

interface Kept extends Shelved {
  readonly caller: string;
  readonly at: number;
}

export function createShelf(limits: Pick<Limits, 'maxShelfBytes' | 'shelfTtlMs'>, now: () => number): Shelf {
  const kept = new Map<string, Kept>();
  let total = 0;

  function drop(uri: string, { bytes }: Kept): void {
    kept.delete(uri);
    total -= bytes.length;
  }

  /** The oldest go first. */
  function makeRoom(size: number): void {
    for (const [uri, each] of kept) {
      if (total + size <= limits.maxShelfBytes && now() - each.at <= limits.shelfTtlMs) return;
      drop(uri, each);
    }
  }

  return {
    of: (caller) => ({
      keep({ bytes, mimeType, name }) {
        makeRoom(bytes.length);
        const uri = `openclaw://media/${randomBytes(16).toString('hex')}/${encodeURIComponent(name)}`;
        kept.set(uri, { bytes, mimeType, caller, at: now() });
        total += bytes.length;
        return uri;
      },
    }),
    find(caller, uri, partBytes) {
      makeRoom(0);
      const [whole = '', part] = uri.split(PART);
      const found = kept.get(whole);
      if (found?.caller !== caller) return undefined;
      return part === undefined ? found : partOf(found, Number(part), partBytes);
    },
  };
}

function partOf(whole: Shelved, part: number, partBytes: number): Shelved | undefined {
  const bytes = whole.bytes.subarray((part - 1) * partBytes, part * partBytes);
  return bytes.length === 0 ? undefined : { bytes, mimeType: 'application/octet-stream' };
}
