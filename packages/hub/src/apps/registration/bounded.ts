/** How large a part of a registration is, found in its text before anything is made of it. */
import type { ByteText } from '../../core/wire/byte-text.ts';
import { JsonCursor } from '../../core/wire/json-cursor.ts';
import { inside, refuse, tooLarge } from './refuse.ts';
import type { Limits } from '../../core/limits.ts';

/** What one registration of an app may bring. Characters are counted as JavaScript does, bytes as they came. */
export type RegistrationLimits = Pick<
  Limits,
  | 'maxRegistrationBytes'
  | 'maxToolsPerSession'
  | 'maxLabelChars'
  | 'maxToolPathChars'
  | 'maxToolDescriptionChars'
  | 'maxSchemaBytes'
  | 'maxSchemaDepth'
  | 'maxSchemaNodes'
  | 'maxSchemaNameChars'
  | 'maxPatternChars'
>;

/** In many programs this name reaches what all objects have in common. */
const PROTOTYPE = '__proto__';

/** `raw` is JSON. Throws where it is larger than the limits say, or has a name that means two things. */
export function assertBounded(raw: ByteText, place: string, limits: RegistrationLimits): void {
  if (raw.length > limits.maxSchemaBytes) throw tooLarge(place, 'bytes', limits.maxSchemaBytes);
  const cursor = new JsonCursor(raw);
  let nodes = 0;
  walk(1, place);

  function walk(depth: number, at: string): void {
    if (++nodes > limits.maxSchemaNodes) throw tooLarge(place, 'values', limits.maxSchemaNodes);
    const kind = cursor.kind();
    if (kind !== 'object' && kind !== 'array') {
      cursor.skip();
      return;
    }
    if (depth > limits.maxSchemaDepth) throw tooLarge(place, 'levels', limits.maxSchemaDepth);
    cursor.enter();
    if (kind === 'object') walkMembers(depth, at);
    else for (let index = 0; cursor.hasMore(); index++) walk(depth + 1, `${at}[${index}]`);
  }

  function walkMembers(depth: number, at: string): void {
    const names = new Set<string>();
    while (cursor.hasMore()) {
      const { text: name } = cursor.key();
      const here = inside(at, name);
      if (names.has(name)) throw refuse(here, 'stands there twice', 'Say it once.');
      if (name === PROTOTYPE) throw refuse(here, 'is not taken as a name', 'Give it another name.');
      if (name.length > limits.maxSchemaNameChars)
        throw tooLarge(here, 'characters in its name', limits.maxSchemaNameChars);
      names.add(name);
      walk(depth + 1, here);
    }
  }
}
