/** Members like `{"value": …, "name": "Authorization"}`: what comes later decides whether the value is shown. */
import type { JsonCursor } from '../wire/json-cursor.ts';
import { fromByteText, type ByteText } from '../wire/byte-text.ts';
import { isSecretName } from './secret-names.ts';

export const NAMES_OF_NAMES: ReadonlySet<string> = new Set(['name', 'key', 'header', 'field', 'variable']);

/** Of what comes after a value. Where its name is further away, it might be that of a secret. */
const WINDOW = 4_096;
const UNKNOWN = 'secret';

/** The name of the value that the cursor stands before: a secret's, where one of them is. `said` came before it. */
export function nameAhead(cursor: JsonCursor, said: string | undefined): string | undefined {
  if (said !== undefined && isSecretName(said)) return said;
  const ahead = cursor.fork();
  ahead.skip();
  const end = ahead.at + WINDOW;
  while (ahead.hasMore()) {
    const key = ahead.key();
    const isName = NAMES_OF_NAMES.has(key.text.toLowerCase()) && ahead.kind() === 'string';
    const raw = ahead.skip();
    const name = isName ? textOf(raw) : undefined;
    if (name !== undefined && isSecretName(name)) return name;
    said ??= name;
    if (ahead.at > end) return said ?? UNKNOWN;
  }
  return said;
}

/** A string without its quotes, as it reads. */
const textOf = (raw: ByteText): string => JSON.parse(`"${fromByteText(raw)}"`) as string;
