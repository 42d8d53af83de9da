/** Turns `key=value` words into a tool's JSON arguments. Numbers keep their text, so 2^64 is not rounded. */
import { PincerError } from '../../core/errors.ts';
import { closest } from '../../lib/text.ts';
import {
  asSchema,
  choicesOf,
  describeTypes,
  objectParts,
  resolveSchema,
  typeOfValue,
  type Schema,
  branchesOf,
  type JsonType,
} from '../../core/schema/json-schema.ts';

interface Pair {
  readonly key: string;
  readonly text: string;
  /** Written as `key:=…`: the text is JSON, regardless of the schema. */
  readonly isJson: boolean;
}

/** Returns the arguments object as JSON text. Throws ARGUMENT_INVALID if the schema forbids it, unless `isUnchecked`. */
export function buildArguments(
  words: readonly string[],
  inputSchema: unknown,
  target: string,
  isUnchecked = false,
): string {
  const root = asSchema(inputSchema);
  const { properties, required } = objectParts(root);
  const pairs = words.map((word) => parsePair(word, target));
  const keys = new Set<string>();
  for (const { key } of pairs) {
    if (keys.has(key)) throw invalid(`Argument "${key}" is given twice.`, target);
    keys.add(key);
    if (!isUnchecked && !Object.hasOwn(properties, key) && !takesOthers(root, properties))
      throw unknownKey(key, properties, target);
  }
  const missing = required.filter((key) => !keys.has(key));
  if (missing.length > 0 && !isUnchecked) {
    const names = missing.map((key) => `"${key}"`).join(', ');
    throw invalid(`${target} needs ${missing.length > 1 ? 'arguments' : 'argument'} ${names}.`, target);
  }
  const members = pairs.map((pair) => {
    const schema = Object.hasOwn(properties, pair.key) ? properties[pair.key] : root['additionalProperties'];
    const value = isUnchecked
      ? asTyped(pair, typesOf(schema, root), target)
      : toJson(pair, schema, root, target);
    return `${JSON.stringify(pair.key)}:${value}`;
  });
  return `{${members.join(',')}}`;
}

/** Unknown keys are allowed if the schema says so or lists no properties. Otherwise one is probably a typo. */
function takesOthers(root: Schema, properties: Schema): boolean {
  const others = root['additionalProperties'];
  return others === undefined ? Object.keys(properties).length === 0 : others !== false;
}

function parsePair(word: string, target: string): Pair {
  const equals = word.indexOf('=');
  if (equals < 1) throw invalid(`"${word}" is not key=value.`, target);
  const isJson = word[equals - 1] === ':' && equals > 1;
  return { key: word.slice(0, isJson ? equals - 1 : equals), text: word.slice(equals + 1), isJson };
}

function toJson({ key, text, isJson }: Pair, schema: unknown, root: Schema, target: string): string {
  const types = typesOf(schema, root);
  const isString = !isJson && (types.has('string') || (types.size === 0 && !isJsonText(text)));
  if (!isString && !isJsonText(text)) {
    const wanted = isJson ? 'JSON' : describeTypes(types);
    throw invalid(`Argument "${key}" must be ${wanted}, but "${text}" is not.`, target);
  }
  const value: unknown = isString ? text : JSON.parse(text);
  const type = typeOfValue(value);
  if (types.size > 0 && !types.has(type) && !(type === 'integer' && types.has('number')))
    throw invalid(`Argument "${key}" must be ${describeTypes(types)}, but ${text} is not.`, target);
  const choices = choicesOf(resolveSchema(schema, root));
  if (choices !== undefined && !choices.some((choice) => JSON.stringify(choice) === JSON.stringify(value))) {
    const near = closest(text, choices.map(String));
    const hint = near === undefined ? undefined : `Did you mean ${key}=${near}?`;
    throw invalid(
      `Argument "${key}" must be one of ${choices.map(String).join(', ')}, not ${text}.`,
      target,
      hint,
    );
  }
  return isString ? JSON.stringify(text) : text;
}

/** Converts the value to the tool's type if possible; otherwise keeps the typed text as a string. */
function asTyped({ key, text, isJson }: Pair, types: ReadonlySet<string>, target: string): string {
  if (isJsonText(text) && (isJson || !types.has('string'))) return text;
  if (isJson) throw invalid(`Argument "${key}" must be JSON, but "${text}" is not.`, target);
  return JSON.stringify(text);
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function unknownKey(key: string, properties: Schema, target: string): PincerError {
  const known = Object.keys(properties);
  const near = closest(key, known);
  const list = known.length === 0 ? 'It takes none.' : `It takes ${known.join(', ')}.`;
  const hint = near === undefined ? undefined : `Did you mean ${near}=…?`;
  return invalid(`${target} takes no argument "${key}". ${list}`, target, hint);
}

const invalid = (message: string, target: string, hint?: string): PincerError => {
  const server = target.slice(0, target.indexOf('.'));
  return new PincerError('ARGUMENT_INVALID', message, {
    hint:
      hint ??
      `Nothing was sent. \`pincer tools ${server}\` shows what each tool takes; --no-check sends it anyway.`,
    data: { outcome: 'not_executed' },
  });
};

/** Types that an argument may have. Empty means any type. */
type Types = ReadonlySet<JsonType>;

const ANYTHING: Types = new Set();
/** Deeper nesting counts as any type. */
const MAX_DEPTH = 8;

/** Types that a value may have; empty if the schema does not restrict them. */
export function typesOf(schema: unknown, root: Schema): Types {
  /** Visits each definition once: one may refer to itself, or be referred to many times. */
  const known = new Map<Schema, Types>();
  return look(schema, 0);

  function look(part: unknown, depth: number): Types {
    const resolved = resolveSchema(part, root);
    const earlier = known.get(resolved);
    if (earlier !== undefined || depth > MAX_DEPTH) return earlier ?? ANYTHING;
    known.set(resolved, ANYTHING);
    const types = ownTypes(resolved) ?? union(branchesOf(resolved).map((branch) => look(branch, depth + 1)));
    known.set(resolved, types);
    return types;
  }
}

function ownTypes(schema: Schema): Types | undefined {
  const { type } = schema;
  if (typeof type === 'string') return new Set([type as JsonType]);
  if (Array.isArray(type)) return new Set(type as JsonType[]);
  const choices = choicesOf(schema);
  return choices && new Set(choices.map(typeOfValue));
}

/** If one branch allows any type, the union does. */
const union = (branches: readonly Types[]): Types =>
  branches.some(({ size }) => size === 0) ? ANYTHING : new Set(branches.flatMap((types) => [...types]));
