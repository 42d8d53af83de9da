/** As much of JSON Schema as it takes to say before a call what the tool would not take. What is not known passes. */
import { closest } from '../../core/closest.ts';
import { isRecord } from '../../core/is-record.ts';
import { choicesOf, localTarget, objectParts, type Schema } from '../../core/schema/json-schema.ts';
import { checkBounds } from './check-bounds.ts';
import { describeTypes } from './describe-types.ts';
import { typeOfValue, type JsonType } from './json-types.ts';

export interface ValueIssue {
  /** `filter.tags[0]`; empty for the arguments as a whole. */
  readonly path: string;
  /** Goes on after the path: `must be a number, not a string`. */
  readonly message: string;
  /** What was probably meant. */
  readonly meant?: string | undefined;
}

export function checkValue(value: unknown, schema: unknown, root: Schema): ValueIssue[] {
  return check(value, schema, '', new Set());

  /** `seen` is what this value has been held against: a definition may refer to itself. */
  // oxlint-disable-next-line max-params -- a value, what it is held against, where it stands, and what was before
  function check(value: unknown, schema: unknown, path: string, seen: Set<Schema>): ValueIssue[] {
    if (schema === false) return [{ path, message: 'is not taken' }];
    if (!isRecord(schema) || seen.has(schema)) return [];
    seen.add(schema);
    if (value === null && schema['nullable'] === true) return [];
    const inner = (part: unknown): ValueIssue[] => check(value, part, path, seen);
    const ref = schema['$ref'];
    const wrong = checkType(value, schema, path);
    // What is of another kind breaks every other rule too; one is enough.
    if (wrong.length > 0) return wrong;
    return [
      ...(typeof ref === 'string' ? inner(localTarget(ref, root)) : []),
      ...checkChoice(value, schema, path),
      ...checkBounds(value, schema).map((message) => ({ path, message })),
      ...(isRecord(value) ? checkMembers(value, schema, path) : []),
      ...(Array.isArray(value) ? checkItems(value, schema, path) : []),
      ...listOf(schema['allOf']).flatMap(inner),
      ...checkBranches(listOf(schema['anyOf']), inner, path),
      ...checkBranches(listOf(schema['oneOf']), inner, path),
    ];
  }

  function checkMembers(
    value: Readonly<Record<string, unknown>>,
    schema: Schema,
    path: string,
  ): ValueIssue[] {
    const { properties, required } = objectParts(schema);
    const others = isRecord(schema['patternProperties']) ? undefined : schema['additionalProperties'];
    const missing = required
      .filter((key) => !Object.hasOwn(value, key))
      .map((key) => ({ path: join(path, key), message: 'is missing' }));
    const inside = Object.entries(value).flatMap(([key, item]) => {
      if (Object.hasOwn(properties, key)) return check(item, properties[key], join(path, key), new Set());
      if (others !== false) return check(item, others, join(path, key), new Set());
      return [unknownMember(path, key, Object.keys(properties))];
    });
    return [...missing, ...inside];
  }

  function checkItems(value: readonly unknown[], schema: Schema, path: string): ValueIssue[] {
    const { items, prefixItems } = schema;
    // Before 2020-12 the first items stood under `items`.
    const first = listOf(Array.isArray(items) ? items : prefixItems);
    const rest = Array.isArray(items) ? schema['additionalItems'] : items;
    return value.flatMap((item, index) =>
      check(item, index < first.length ? first[index] : rest, `${path}[${index}]`, new Set()),
    );
  }
}

/** One that fits is enough, for `oneOf` too: which one is meant is for the tool to say. */
function checkBranches(
  branches: readonly unknown[],
  inner: (branch: unknown) => ValueIssue[],
  path: string,
): ValueIssue[] {
  if (branches.length === 0) return [];
  const found = branches.map(inner);
  if (found.some((issues) => issues.length === 0)) return [];
  const [only, another] = found.filter((issues) => issues.some((issue) => issue.path !== path));
  // The only one that was not of another kind altogether is the one that was meant.
  if (only !== undefined && another === undefined) return only;
  return [{ path, message: 'fits none of the forms that it may have' }];
}

function checkType(value: unknown, { type }: Schema, path: string): ValueIssue[] {
  const types = new Set((Array.isArray(type) ? type : [type]).filter((one) => typeof one === 'string'));
  const actual = typeOfValue(value);
  if (types.size === 0 || types.has(actual) || (actual === 'integer' && types.has('number'))) return [];
  const wanted = describeTypes(types);
  return [{ path, message: `must be ${wanted}, not ${describeTypes(new Set<JsonType>([actual]))}` }];
}

function checkChoice(value: unknown, schema: Schema, path: string): ValueIssue[] {
  const choices = choicesOf(schema);
  const text = JSON.stringify(value);
  if (choices === undefined || choices.some((choice) => JSON.stringify(choice) === text)) return [];
  const names = choices.map((choice) => (typeof choice === 'string' ? choice : JSON.stringify(choice)));
  const meant = typeof value === 'string' ? closest(value, names) : undefined;
  return [{ path, message: `must be one of ${names.join(', ')}`, meant }];
}

function unknownMember(path: string, key: string, known: readonly string[]): ValueIssue {
  const list = known.length === 0 ? 'nothing is taken there' : `there is ${known.join(', ')}`;
  return { path: join(path, key), message: `is not taken; ${list}`, meant: closest(key, known) };
}

const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
