/**
 * Output schemas for callers of the legacy era, where structured output must be an object: other values go into an
 * object under `result`. Does the same as the official SDK, but on bytes.
 */
import { quoted, type ByteText } from '../wire/byte-text.ts';
import {
  findMember,
  isObject,
  readElements,
  readMembers,
  writeMembers,
  type Member,
} from '../wire/members.ts';
import { plainString } from '../wire/message.ts';

/** The schema's new place: references into it must point there. */
const NEW_ROOT = '#/properties/result';

/** The definition of a tool with its `outputSchema` wrapped. */
export function withLegacyOutput(definition: ByteText): ByteText {
  const members = readMembers(definition);
  const schema = findMember(members, 'outputSchema');
  return schema === undefined
    ? definition
    : writeMembers(members, { outputSchema: wrapOutputSchema(schema) });
}

export function wrapOutputSchema(schema: ByteText): ByteText {
  const dialect = stringMember(membersOf(schema), '$schema');
  return writeMembers([], {
    $schema: dialect === undefined ? undefined : quoted(dialect),
    type: '"object"',
    properties: `{"result":${movedReferences(schema, 0, false)}}`,
    required: '["result"]',
  });
}

const MAX_DEPTH = 64;

function movedReferences(raw: ByteText, depth: number, isNameMap: boolean): ByteText {
  if (depth > MAX_DEPTH || !mayRefer(raw)) return raw;
  const moved = (inner: ByteText, isNameMap = false): ByteText =>
    movedReferences(inner, depth + 1, isNameMap);
  if (raw.startsWith('['))
    return `[${readElements(raw)
      .map((element) => moved(element))
      .join(',')}]`;
  const members = isObject(raw) ? membersOf(raw) : undefined;
  if (members === undefined || (!isNameMap && isBase(members))) return raw;
  return writeMembers(
    members.map(({ key, raw: value }) => {
      if (isNameMap) return { key, raw: moved(value) };
      if (DATA_KEYWORDS.has(key)) return { key, raw: value };
      if (key === '$ref' || key === '$dynamicRef') return { key, raw: movedReference(value) };
      return { key, raw: moved(value, NAME_MAPS.has(key)) };
    }),
  );
}

const mayRefer = (raw: ByteText): boolean =>
  raw.includes('$ref') || raw.includes('$dynamicRef') || raw.includes('\\u');

function movedReference(value: ByteText): ByteText {
  const target = value.startsWith('"') ? plainString(value) : '';
  return target === '#' || target.startsWith('#/') ? quoted(NEW_ROOT + target.slice(1)) : value;
}

/** Whether references inside are relative to its own `$id`. An `$id` that is only a fragment is a name, not a base. */
function isBase(schema: readonly Member[]): boolean {
  const id = stringMember(schema, '$id');
  return id !== undefined && !id.startsWith('#');
}

function stringMember(schema: readonly Member[] | undefined, key: string): string | undefined {
  const raw = findMember(schema ?? [], key);
  return raw?.startsWith('"') ? plainString(raw) : undefined;
}

/** Returns undefined on duplicate keys: their meaning is up to the reader. */
function membersOf(schema: ByteText): Member[] | undefined {
  try {
    return readMembers(schema);
  } catch {
    return undefined;
  }
}

/** These keywords hold data for programs. Nothing inside them is a keyword. */
export const DATA_KEYWORDS: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);
/** These keywords hold schemas under names that the author chose, possibly `default` or `$ref`. */
export const NAME_MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);
