/** `$ref` in an app's schema: into the same schema only, to something that is there. */
import { isRecord } from '../../../core/is-record.ts';
import { localTarget, type Schema } from '../../../core/schema/json-schema.ts';
import { refuse, shown } from './refuse.ts';

export const REFERENCE_KEYWORDS: ReadonlySet<string> = new Set(['$ref', '$dynamicRef', '$recursiveRef']);

/** An address elsewhere would have to be fetched, by us or by whoever reads the schema: nobody does that for an app. */
export function assertLocal(ref: unknown, root: Schema, place: string): void {
  if (typeof ref !== 'string') throw refuse(place, 'must be a string', 'Write it as #/$defs/name.');
  if (ref !== '#' && !ref.startsWith('#/'))
    throw refuse(
      place,
      `points to "${shown(ref)}", outside of the schema or to an anchor`,
      'Put what is meant under $defs and point to it with #/$defs/name.',
    );
  if (!isThere(ref, root))
    throw refuse(place, `points to "${shown(ref)}", where no schema is`, 'Put what is meant under $defs.');
}

/** A pointer in an address may be percent-encoded (RFC 6901, section 6). */
const isThere = (ref: string, root: Schema): boolean =>
  [ref, decoded(ref)].some((each) => {
    const target = localTarget(each, root);
    return isRecord(target) || typeof target === 'boolean';
  });

function decoded(ref: string): string {
  try {
    return decodeURIComponent(ref);
  } catch {
    return ref;
  }
}
