/** What an app says of how its tool behaves (MCP, `ToolAnnotations`). What else stands there is passed on. */
import { isRecord } from '../../../core/is-record.ts';
import { detached, oneLine, parseBytes, type ByteText } from '../../../core/wire/byte-text.ts';
import { assertBounded } from './bounded.ts';
import type { RegistrationLimits } from './limits.ts';
import { refuse } from './refuse.ts';

const TYPES = {
  title: 'string',
  readOnlyHint: 'boolean',
  destructiveHint: 'boolean',
  idempotentHint: 'boolean',
  openWorldHint: 'boolean',
} as const;

export function readAnnotations(raw: ByteText, place: string, limits: RegistrationLimits): ByteText {
  assertBounded(raw, place, limits);
  const annotations = parseBytes(raw);
  if (!isRecord(annotations)) throw refuse(place, 'must be a JSON object', HINT);
  for (const [name, type] of Object.entries(TYPES)) {
    if (!Object.hasOwn(annotations, name) || typeof annotations[name] === type) continue;
    throw refuse(`${place}.${name}`, `must be ${type === 'string' ? 'a string' : 'true or false'}`, HINT);
  }
  return detached(oneLine(raw));
}

const HINT = 'Write {"readOnlyHint":true} or the like, or leave it out.';
