/** What an app registers, checked before any of it is accepted. Members that are not known are ignored. */
import { type ByteText, detached, oneLine, parseBytes } from '../../core/wire/byte-text.ts';
import { findMember, readElements, type Member } from '../../core/wire/members.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { readString, given } from './read-string.ts';
import { membersOf, registrationText } from './read-text.ts';
import { refuse, tooLarge, shown, inside } from './refuse.ts';
import type { AppTool, Registration } from '../directory/session-directory.ts';
import { MAX_TOOL_NAME, naturalName } from '../../core/catalog/tool-name.ts';
import { isRecord } from '../../lib/is-record.ts';
import { assertBounded, type RegistrationLimits } from './bounded.ts';
import { type Schema, localTarget } from '../../core/schema/json-schema.ts';
import { isNames, SCHEMA_KEYWORDS, VALUE_RULES, type Holds } from './keywords.ts';

/**
 * `body` is JSON text, or a value that JSON can write. Only `tools`, and the name of each, must be there. Throws a
 * `PincerError` that begins with the place of what is wrong.
 */
export function readRegistration(body: unknown, limits: RegistrationLimits = DEFAULT_LIMITS): Registration {
  const members = membersOf(registrationText(body, limits.maxRegistrationBytes), 'body');
  const label = (key: string): string | undefined => readString(members, key, key, limits.maxLabelChars);
  return {
    deviceId: label('device_id'),
    deviceName: label('device_name'),
    appVersion: label('app_version'),
    chatId: label('chat_id'),
    tools: readTools(findMember(members, 'tools'), limits),
  };
}

/** A list of tools by itself, as an app sends it whose tools have changed; `raw` is JSON. It may be empty. */
export function readTools(
  raw: ByteText | undefined,
  limits: RegistrationLimits = DEFAULT_LIMITS,
): readonly AppTool[] {
  if (raw === undefined) throw refuse('tools', 'is missing', LIST_HINT);
  if (!raw.startsWith('[')) throw refuse('tools', 'must be a JSON array', LIST_HINT);
  const entries = readElements(raw);
  if (entries.length > limits.maxToolsPerSession)
    throw tooLarge('tools', 'entries', limits.maxToolsPerSession);
  const tools = entries.map((entry, index) => readTool(entry, `tools[${index}]`, limits));
  assertUnique(tools);
  return tools;
}

const LIST_HINT = 'Send the tools as a list: "tools":[{"name":"echo_text",…}].';

function assertUnique(tools: readonly AppTool[]): void {
  const first = new Map<string, number>();
  for (const [index, { name }] of tools.entries()) {
    const earlier = first.get(name);
    if (earlier !== undefined)
      throw refuse(
        `tools[${index}].name`,
        `"${name}" is the name of tools[${earlier}] too`,
        'Each tool of a session has a name of its own.',
      );
    first.set(name, index);
  }
}

type Read = (raw: ByteText, place: string, limits: RegistrationLimits) => ByteText;

/** A tool that takes nothing need not say so. */
const NO_ARGUMENTS: ByteText = '{"type":"object"}';

/** One entry of `tools`. */
function readTool(raw: ByteText, place: string, limits: RegistrationLimits): AppTool {
  const members = membersOf(raw, place);
  const text = (key: string, max: number): string | undefined =>
    readString(members, key, `${place}.${key}`, max);
  const part = (key: string, read: Read): ByteText | undefined => {
    const found = given(members, key);
    // A slice would keep the whole body that it was cut from.
    return found && detached(read(found, `${place}.${key}`, limits));
  };
  return {
    name: readName(members, `${place}.name`),
    path: text('path', limits.maxToolPathChars),
    title: text('title', limits.maxLabelChars),
    description: text('description', limits.maxToolDescriptionChars),
    inputSchema: part('input_schema', readSchema) ?? NO_ARGUMENTS,
    outputSchema: part('output_schema', readSchema),
    annotations: part('annotations', readAnnotations),
  };
}

const NAME_HINT = `A name has 1 to ${MAX_TOOL_NAME} characters, each a letter from a to z or A to Z, a digit, _ or -.`;

/** Other names are legal in MCP, but models are not given them: their providers take these only. */
function readName(members: readonly Member[], place: string): string {
  if (findMember(members, 'name') === undefined) throw refuse(place, 'is missing', NAME_HINT);
  const name = readString(members, 'name', place, Infinity);
  if (name === undefined) throw refuse(place, 'must be a string', NAME_HINT);
  if (naturalName('', name) !== undefined) return name;
  throw refuse(place, name === '' ? 'is empty' : `"${shown(name)}" is not taken as a name`, NAME_HINT);
}

const TYPES = {
  title: 'string',
  readOnlyHint: 'boolean',
  destructiveHint: 'boolean',
  idempotentHint: 'boolean',
  openWorldHint: 'boolean',
} as const;

/** What an app says of how its tool behaves (MCP, `ToolAnnotations`). What else stands there is passed on. */
function readAnnotations(raw: ByteText, place: string, limits: RegistrationLimits): ByteText {
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

/** MCP wants `type: "object"` to be said; whoever leaves it out means it. */
const NO_TYPE_SAID = /^\{[ \t\r\n]*(\}?)/;

/** A schema of an app's tool: a JSON Schema of an object, held to its limits, kept as the bytes that came. */
export function readSchema(raw: ByteText, place: string, limits: RegistrationLimits): ByteText {
  assertBounded(raw, place, limits);
  const root = parseBytes(raw);
  if (!isRecord(root)) throw refuse(place, 'must be a JSON object', OBJECT_HINT);
  assertSchema(root, root, place, limits);
  const schema = detached(oneLine(raw));
  if (root['type'] === 'object') return schema;
  if (root['type'] !== undefined) throw refuse(`${place}.type`, 'must be "object"', OBJECT_HINT);
  return schema.replace(NO_TYPE_SAID, (_, end: string) => `{"type":"object"${end === '' ? ',' : '}'}`);
}

const OBJECT_HINT = 'Arguments and results have names: write {"type":"object","properties":{…}}.';
const SCHEMA_HINT = 'Clients refuse all tools of a list for one schema that is none; see json-schema.org.';

/** As deep as `assertBounded` let it be. */
function assertSchema(schema: unknown, root: Schema, place: string, limits: RegistrationLimits): void {
  if (typeof schema === 'boolean') return;
  if (!isRecord(schema)) throw refuse(place, 'must be a JSON object, true or false', SCHEMA_HINT);
  const check = (part: unknown, at: string): void => assertSchema(part, root, at, limits);
  for (const [keyword, value] of Object.entries(schema)) {
    const at = inside(place, keyword);
    const rule = VALUE_RULES.get(keyword);
    if (rule !== undefined && !rule.fits(value)) throw refuse(at, `must be ${rule.wanted}`, SCHEMA_HINT);
    if (REFERENCE_KEYWORDS.has(keyword)) assertLocal(value, root, at);
    if (keyword === 'pattern') assertPattern(value as string, at, limits);
    if (keyword === 'patternProperties' && isRecord(value))
      for (const pattern of Object.keys(value)) assertPattern(pattern, inside(at, pattern), limits);
    const holds = SCHEMA_KEYWORDS.get(keyword);
    if (holds !== undefined) eachSchema(value, holds, at, check);
  }
}

/** Only its length is checked here. `core/schema/pattern.ts` matches it in linear time, or not at all. */
function assertPattern(pattern: string, place: string, { maxPatternChars }: RegistrationLimits): void {
  if (pattern.length > maxPatternChars) throw tooLarge(place, 'characters', maxPatternChars);
}

// oxlint-disable-next-line max-params -- a value, how it holds schemas, where it stands, and what is done with each
function eachSchema(
  value: unknown,
  holds: Holds,
  place: string,
  check: (part: unknown, place: string) => void,
): void {
  if (holds === 'schema' || (holds === 'schema or list' && !Array.isArray(value))) {
    check(value, place);
  } else if (holds === 'list' || holds === 'schema or list') {
    if (!Array.isArray(value)) throw refuse(place, 'must be a JSON array of schemas', SCHEMA_HINT);
    value.forEach((part, index) => check(part, `${place}[${index}]`));
  } else {
    if (!isRecord(value)) throw refuse(place, 'must be a JSON object of schemas', SCHEMA_HINT);
    for (const [name, part] of Object.entries(value))
      if (holds === 'names' || !isNames(part)) check(part, inside(place, name));
  }
}

/** `$ref` in an app's schema: into the same schema only, to something that is there. */
const REFERENCE_KEYWORDS: ReadonlySet<string> = new Set(['$ref', '$dynamicRef', '$recursiveRef']);

/** An address elsewhere would have to be fetched, by us or by whoever reads the schema: nobody does that for an app. */
function assertLocal(ref: unknown, root: Schema, place: string): void {
  if (typeof ref !== 'string') throw refuse(place, 'must be a string', 'Write it as #/$defs/name.');
  if (ref !== '#' && !ref.startsWith('#/'))
    throw refuse(
      place,
      `points to "${shown(ref)}", outside of the schema or to an anchor`,
      'Put what is meant under $defs and point to it with #/$defs/name.',
    );
  const target = localTarget(ref, root);
  if (!isRecord(target) && typeof target !== 'boolean')
    throw refuse(place, `points to "${shown(ref)}", where no schema is`, 'Put what is meant under $defs.');
}
