/** Reads the registration of an app, and refuses it as a whole if anything is wrong. Unknown members are ignored. */
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
 * `body` is JSON text, or a value that JSON can write. Only `tools` and the name of each tool are required. Throws a
 * `PincerError` whose message begins with the place of the error.
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

/** Reads a list of tools, as an app sends it when its tools have changed. `raw` is JSON. The list may be empty. */
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
        `"${name}" is also the name of tools[${earlier}]`,
        'Give each tool of a session a unique name.',
      );
    first.set(name, index);
  }
}

type Read = (raw: ByteText, place: string, limits: RegistrationLimits) => ByteText;

/** The default for tools without arguments. */
const NO_ARGUMENTS: ByteText = '{"type":"object"}';

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

/** MCP allows other names, but model providers accept only these. */
function readName(members: readonly Member[], place: string): string {
  if (findMember(members, 'name') === undefined) throw refuse(place, 'is missing', NAME_HINT);
  const name = readString(members, 'name', place, Infinity);
  if (name === undefined) throw refuse(place, 'must be a string', NAME_HINT);
  if (naturalName('', name) !== undefined) return name;
  throw refuse(place, name === '' ? 'is empty' : `"${shown(name)}" is not a valid name`, NAME_HINT);
}

const HINT_TYPES = {
  title: 'string',
  readOnlyHint: 'boolean',
  destructiveHint: 'boolean',
  idempotentHint: 'boolean',
  openWorldHint: 'boolean',
} as const;

/** Hints about the behaviour of a tool (MCP, `ToolAnnotations`). Unknown members are passed on. */
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

const ANNOTATIONS_HINT = 'Write for example {"readOnlyHint":true}, or leave it out.';

/** Treats null as missing, because many languages write null for missing values. */
function given(members: readonly Member[], key: string): ByteText | undefined {
  const raw = findMember(members, key);
  return raw === 'null' ? undefined : raw;
}

// oxlint-disable-next-line max-params -- the members, a key, its place, and its limit
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

/** Takes text as the bytes that came, and writes any other value as JSON. */
function registrationText(body: unknown, maxBytes: number): ByteText {
  const text = typeof body === 'string' ? body : written(body);
  if (text.length > maxBytes) throw tooLarge(BODY, 'bytes', maxBytes);
  if (!isModest(text)) throw refuse(BODY, 'has too many values', 'Register fewer tools at once.');
  if (!isJson(text)) throw refuse(BODY, 'is not JSON in UTF-8', 'Send one JSON object.');
  return text;
}

/** Circular values, big integers and throwing getters cannot be written. */
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

/** Reads the members of an object. Refuses a duplicate key, because readers disagree on which one counts. */
function membersOf(raw: ByteText, place: string): Member[] {
  if (!isObject(raw))
    throw refuse(place, 'must be a JSON object', 'Send names and values in braces: {"name":…}.');
  try {
    return readMembers(raw);
  } catch (error) {
    if (!(error instanceof DuplicateKeyError)) throw error;
    throw refuse(inside(place === BODY ? '' : place, error.key), 'occurs twice', 'Send each key once.');
  }
}

/** A registered tool as MCP lists it. The schemas of the app stay the bytes that came. */
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
