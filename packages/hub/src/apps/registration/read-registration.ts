/** Reads what an app registers, and refuses it as a whole if anything is wrong. Unknown members are ignored. */
import {
  asBytes,
  detached,
  jsonBytes,
  oneLine,
  parseBytes,
  quoted,
  type ByteText,
} from '../../core/wire/byte-text.ts';
import {
  DuplicateKeyError,
  findMember,
  isObject,
  readElements,
  readMembers,
  type Member,
  isModest,
} from '../../core/wire/members.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { inside, refuse, shown, tooLarge } from '../refusals.ts';
import type { AppTool, Registration } from '../directory/session-directory.ts';
import { MAX_TOOL_NAME, naturalName } from '../../core/catalog/tool-name.ts';
import { isRecord } from '../../lib/record.ts';
import { assertBounded, readSchema, type RegistrationLimits } from './read-schema.ts';

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

const HINT_TYPES = {
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
  if (!isRecord(annotations)) throw refuse(place, 'must be a JSON object', ANNOTATIONS_HINT);
  for (const [name, type] of Object.entries(HINT_TYPES)) {
    if (!Object.hasOwn(annotations, name) || typeof annotations[name] === type) continue;
    throw refuse(
      `${place}.${name}`,
      `must be ${type === 'string' ? 'a string' : 'true or false'}`,
      ANNOTATIONS_HINT,
    );
  }
  return detached(oneLine(raw));
}

const ANNOTATIONS_HINT = 'Write {"readOnlyHint":true} or the like, or leave it out.';

/** A member that says something: many languages write `null` for what is left out. */
function given(members: readonly Member[], key: string): ByteText | undefined {
  const raw = findMember(members, key);
  return raw === 'null' ? undefined : raw;
}

// oxlint-disable-next-line max-params -- members, which of them, where it stands, and how long it may be
function readString(
  members: readonly Member[],
  key: string,
  place: string,
  maxChars: number,
): string | undefined {
  const raw = given(members, key);
  if (raw === undefined) return undefined;
  const value = parseBytes(raw);
  if (typeof value !== 'string') throw refuse(place, 'must be a string', 'Send a string, or leave it out.');
  if (value.length > maxChars) throw tooLarge(place, 'characters', maxChars);
  return value;
}

const BODY = 'body';

/** Text is taken as the bytes that came; anything else as a value that JSON can write. */
function registrationText(body: unknown, maxBytes: number): ByteText {
  const text = typeof body === 'string' ? body : written(body);
  if (text.length > maxBytes) throw tooLarge(BODY, 'bytes', maxBytes);
  if (!isModest(text)) throw refuse(BODY, 'has too many values', 'Register fewer tools at once.');
  if (!isJson(text)) throw refuse(BODY, 'is not JSON in UTF-8', 'Send one JSON object.');
  return text;
}

/** Not everything can be written: circles, very large integers, getters that throw. */
function written(value: unknown): ByteText {
  try {
    return jsonBytes(value ?? null);
  } catch {
    throw refuse(BODY, 'cannot be written as JSON', 'Send one JSON object.');
  }
}

function isJson(text: ByteText): boolean {
  try {
    parseBytes(asBytes(text));
    return true;
  } catch {
    return false;
  }
}

/** The members of an object at this place; one that stands there twice would be one thing to us and another to others. */
function membersOf(raw: ByteText, place: string): Member[] {
  if (!isObject(raw))
    throw refuse(place, 'must be a JSON object', 'Send names and values in braces: {"name":…}.');
  try {
    return readMembers(raw);
  } catch (error) {
    if (!(error instanceof DuplicateKeyError)) throw error;
    throw refuse(inside(place === BODY ? '' : place, error.key), 'stands there twice', 'Say it once.');
  }
}

/** A registered tool as MCP lists it; the app's schemas are the bytes that came. */
export function toToolDefinition(tool: AppTool): ByteText {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const parts = [
    `"name":${quoted(name)}`,
    ...(title === undefined ? [] : [`"title":${quoted(title)}`]),
    ...(description === undefined ? [] : [`"description":${quoted(description)}`]),
    `"inputSchema":${inputSchema}`,
    ...(outputSchema === undefined ? [] : [`"outputSchema":${outputSchema}`]),
    ...(annotations === undefined ? [] : [`"annotations":${annotations}`]),
  ];
  return `{${parts.join(',')}}`;
}
