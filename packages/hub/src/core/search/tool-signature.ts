/** A tool on one line, so that it can be called without its whole definition. */
import { isRecord } from '../is-record.ts';
import { visible } from '../visible.ts';

/** A longer one leaves out what need not be given, and ends with `…`. */
const MAX_CHARS = 400;
/** What is further inside is just `object`. */
const MAX_DEPTH = 3;
const MAX_CHOICES = 8;
const MAX_PARAMETERS = 24;
const MAX_INNER_PARTS = 8;
/** Of one name or value. */
const MAX_WORD_CHARS = 80;
/** A definition may refer to itself. */
const MAX_REFERENCES = 8;
/** What has a type of its own, in all: a definition could otherwise take for ever to write. */
const MAX_TYPES = 100;

type Schema = Readonly<Record<string, unknown>>;

interface Writing {
  readonly root: Schema;
  typesLeft: number;
}

interface Parameter {
  readonly text: string;
  readonly isRequired: boolean;
}

/** `name(a: string, b?: number)`; `inputSchema` is the parsed one. */
export function toolSignature(name: string, inputSchema: unknown): string {
  const schema = isRecord(inputSchema) ? inputSchema : {};
  const parameters = parametersOf(schema, { root: schema, typesLeft: MAX_TYPES }, 0);
  const whole = write(name, parameters, '');
  if (whole.length <= MAX_CHARS) return whole;
  const needed = parameters.filter(({ isRequired }) => isRequired);
  const short = write(name, needed, needed.at(-1)?.text === '…' ? '' : '…');
  return short.length <= MAX_CHARS ? short : `${short.slice(0, MAX_CHARS - 2)}…)`;
}

const write = (name: string, parameters: readonly Parameter[], more: string): string =>
  visible(
    `${name}(${[...parameters.map(({ text }) => text), more].filter((text) => text !== '').join(', ')})`,
  );

function parametersOf({ properties, required }: Schema, writing: Writing, depth: number): Parameter[] {
  const needed: ReadonlySet<unknown> = new Set(Array.isArray(required) ? required : []);
  const all = Object.entries(isRecord(properties) ? properties : {});
  const max = depth === 0 ? MAX_PARAMETERS : MAX_INNER_PARTS;
  const shown = all.length <= max ? all : all.toSorted(([a], [b]) => order(needed, a) - order(needed, b));
  const parameters = shown.slice(0, max).map(([key, value]) => {
    const isRequired = needed.has(key);
    const name = /^[A-Za-z_$][\w$]*$/.test(key) ? word(key) : word(JSON.stringify(key));
    return { isRequired, text: `${name}${isRequired ? '' : '?'}: ${typeText(value, writing, depth + 1)}` };
  });
  return all.length <= max ? parameters : [...parameters, { isRequired: true, text: '…' }];
}

const word = (text: string): string =>
  text.length <= MAX_WORD_CHARS ? text : `${text.slice(0, MAX_WORD_CHARS)}…`;

const order = (needed: ReadonlySet<unknown>, key: string): number => (needed.has(key) ? 0 : 1);

function typeText(value: unknown, writing: Writing, depth: number): string {
  if (writing.typesLeft-- <= 0) return '…';
  const schema = resolved(value, writing.root, 0);
  const choices = Array.isArray(schema['enum'])
    ? (schema['enum'] as unknown[])
    : 'const' in schema && [schema['const']];
  if (choices) return choicesText(choices);
  const branches = [schema['anyOf'], schema['oneOf']].find((each) => Array.isArray(each)) as
    | unknown[]
    | undefined;
  if (branches !== undefined && depth <= MAX_DEPTH)
    return union(branches, (branch) => typeText(branch, writing, depth + 1));
  const { type } = schema;
  if (Array.isArray(type))
    return union(type, (one) => typeText({ ...schema, type: one }, writing, depth + 1));
  if (type === 'array') return arrayText(schema, writing, depth);
  if (type === 'object') return objectText(schema, writing, depth);
  if (type === 'integer') return 'number';
  return typeof type === 'string' ? type : 'unknown';
}

const union = (parts: readonly unknown[], write: (part: unknown) => string): string =>
  [...new Set(parts.slice(0, MAX_INNER_PARTS).map(write))].join(' | ');

function choicesText(choices: readonly unknown[]): string {
  const shown = choices.slice(0, MAX_CHOICES).map((choice) => word(JSON.stringify(choice)));
  return [...shown, ...(choices.length > MAX_CHOICES ? ['…'] : [])].join(' | ');
}

function arrayText(schema: Schema, writing: Writing, depth: number): string {
  const item =
    schema['items'] === undefined || depth > MAX_DEPTH
      ? 'unknown'
      : typeText(schema['items'], writing, depth + 1);
  return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
}

function objectText(schema: Schema, writing: Writing, depth: number): string {
  const inner = depth > MAX_DEPTH ? [] : parametersOf(schema, writing, depth);
  return inner.length > 0 ? `{ ${inner.map(({ text }) => text).join('; ')} }` : 'object';
}

/** Follows `$ref` into the same document. */
function resolved(value: unknown, root: Schema, steps: number): Schema {
  if (!isRecord(value)) return {};
  const ref = value['$ref'];
  if (typeof ref !== 'string' || !ref.startsWith('#') || steps > MAX_REFERENCES) return value;
  let target: unknown = root;
  for (const step of ref.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    target = isRecord(target) ? target[key] : undefined;
  }
  return resolved(target, root, steps + 1);
}
