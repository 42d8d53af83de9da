/** Writes a schema as a TypeScript type for people and models: `string`, `{ a: number; b?: "x" | "y" }`. */
import { isRecord } from '../../lib/record.ts';
import { branchesOf, choicesOf, objectParts, resolveSchema, type Schema } from './json-schema.ts';

/** Deeper objects are written as `object`. */
const MAX_DEPTH = 3;
const MAX_CHOICES = 8;
/** Characters of one name or value. */
const MAX_WORD_CHARS = 80;

export interface TypeLimits {
  /** Parameters of the outermost object. */
  readonly maxParameters: number;
  /** Parts of each inner object and of each union. */
  readonly maxInnerParts: number;
  /** Number of types in all, because a definition could be endless. */
  readonly maxTypes: number;
}

export interface Parameter {
  /** `a: string`, `b?: number`, or `…` for the omitted ones. */
  readonly text: string;
  readonly isRequired: boolean;
}

interface Writing {
  readonly root: Schema;
  readonly limits: TypeLimits;
  typesLeft: number;
}

const startWriting = (root: Schema, limits: TypeLimits): Writing => ({
  root,
  limits,
  typesLeft: limits.maxTypes,
});

/** The properties of a schema. If some are omitted, required ones come first. */
export const parameterTexts = (schema: Schema, limits: TypeLimits): Parameter[] =>
  parametersOf(schema, startWriting(schema, limits), 0);

export const schemaText = (schema: Schema, limits: TypeLimits): string =>
  typeText(schema, startWriting(schema, limits), 1);

function parametersOf(schema: Schema, writing: Writing, depth: number): Parameter[] {
  const { properties, required } = objectParts(schema);
  const { maxParameters, maxInnerParts } = writing.limits;
  const needed = new Set(required);
  const rank = (key: string): number => (needed.has(key) ? 0 : 1);
  const all = Object.entries(properties);
  const max = depth === 0 ? maxParameters : maxInnerParts;
  const shown = all.length <= max ? all : all.toSorted(([a], [b]) => rank(a) - rank(b));
  const parameters = shown.slice(0, max).map(([key, value]) => {
    const isRequired = needed.has(key);
    const name = word(/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key));
    return { isRequired, text: `${name}${isRequired ? '' : '?'}: ${typeText(value, writing, depth + 1)}` };
  });
  return all.length <= max ? parameters : [...parameters, { isRequired: true, text: '…' }];
}

const word = (text: string): string =>
  text.length <= MAX_WORD_CHARS ? text : `${text.slice(0, MAX_WORD_CHARS)}…`;

function typeText(value: unknown, writing: Writing, depth: number): string {
  if (writing.typesLeft-- <= 0) return '…';
  const schema = resolveSchema(value, writing.root);
  const choices = choicesOf(schema);
  if (choices !== undefined) return choicesText(choices);
  const union = (parts: readonly unknown[], schemaOf: (part: unknown) => unknown): string => {
    const texts = parts
      .slice(0, writing.limits.maxInnerParts)
      .map((part) => typeText(schemaOf(part), writing, depth + 1));
    return [...new Set(texts)].join(' | ');
  };
  const branches = branchesOf(schema);
  if (branches.length > 0 && depth <= MAX_DEPTH) return union(branches, (branch) => branch);
  const { type } = schema;
  if (Array.isArray(type)) return union(type, (one) => ({ ...schema, type: one }));
  if (type === 'array') return arrayText(schema, writing, depth);
  if (type === 'object') return objectText(schema, writing, depth);
  if (type === 'integer') return 'number';
  return typeof type === 'string' ? type : 'unknown';
}

function choicesText(choices: readonly unknown[]): string {
  const shown = choices.slice(0, MAX_CHOICES).map((choice) => word(JSON.stringify(choice)));
  return [...shown, ...(choices.length > MAX_CHOICES ? ['…'] : [])].join(' | ');
}

function arrayText({ items }: Schema, writing: Writing, depth: number): string {
  const item = items === undefined || depth > MAX_DEPTH ? 'unknown' : typeText(items, writing, depth + 1);
  return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
}

function objectText(schema: Schema, writing: Writing, depth: number): string {
  if (depth > MAX_DEPTH) return 'object';
  const inner = parametersOf(schema, writing, depth);
  if (inner.length > 0) return `{ ${inner.map(({ text }) => text).join('; ')} }`;
  const others = schema['additionalProperties'];
  return isRecord(others) ? `Record<string, ${typeText(others, writing, depth + 1)}>` : 'object';
}
