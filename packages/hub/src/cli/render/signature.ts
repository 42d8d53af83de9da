/** A tool as a TypeScript-like signature. */
import { isRecord } from '../../core/is-record.ts';
import { visible } from '../../core/visible.ts';
import type { ToolReport } from '../call/find-tool.ts';
import { asSchema, branchesOf, choicesOf, objectParts, resolveSchema, type Schema } from '../call/schema.ts';

const MAX_WIDTH = 100;
/** Objects within objects within objects are just `object`. */
const MAX_DEPTH = 2;
const MAX_CHOICES = 8;

export function renderSignature({ name, definition }: ToolReport): string {
  const input = asSchema(definition.inputSchema);
  const parameters = members(input, input, 0);
  const output = isRecord(definition.outputSchema)
    ? `: ${typeText(definition.outputSchema, definition.outputSchema, 1)}`
    : '';
  const oneLine = `${name}(${parameters.join(', ')})${output}`;
  if (oneLine.length <= MAX_WIDTH || parameters.length === 0) return visible(oneLine);
  return [`${name}(`, ...parameters.map((parameter) => `  ${parameter},`), `)${output}`]
    .map(visible)
    .join('\n');
}

function members(schema: Schema, root: Schema, depth: number): string[] {
  const { properties, required } = objectParts(schema);
  return Object.entries(properties).map(([key, value]) => {
    const name = /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
    return `${name}${required.includes(key) ? '' : '?'}: ${typeText(value, root, depth + 1)}`;
  });
}

function typeText(schema: unknown, root: Schema, depth: number): string {
  const resolved = resolveSchema(schema, root);
  const choices = choicesOf(resolved);
  if (choices !== undefined) return choicesText(choices);
  const branches = branchesOf(resolved);
  if (branches.length > 0 && depth <= MAX_DEPTH)
    return [...new Set(branches.map((branch) => typeText(branch, root, depth + 1)))].join(' | ');
  const { type } = resolved;
  if (Array.isArray(type))
    return type.map((one) => typeText({ ...resolved, type: one as unknown }, root, depth)).join(' | ');
  switch (type) {
    case 'integer':
      return 'number';
    case 'array':
      return arrayText(resolved, root, depth);
    case 'object':
      return objectText(resolved, root, depth);
    default:
      return typeof type === 'string' ? type : 'unknown';
  }
}

function choicesText(choices: readonly unknown[]): string {
  const shown = choices.slice(0, MAX_CHOICES).map((choice) => JSON.stringify(choice));
  return [...shown, ...(choices.length > MAX_CHOICES ? ['…'] : [])].join(' | ');
}

function arrayText(schema: Schema, root: Schema, depth: number): string {
  const item =
    schema['items'] === undefined || depth > MAX_DEPTH
      ? 'unknown'
      : typeText(schema['items'], root, depth + 1);
  return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
}

function objectText(schema: Schema, root: Schema, depth: number): string {
  const inner = depth > MAX_DEPTH ? [] : members(schema, root, depth);
  if (inner.length > 0) return `{ ${inner.join('; ')} }`;
  const others = schema['additionalProperties'];
  return isRecord(others) && depth <= MAX_DEPTH
    ? `Record<string, ${typeText(others, root, depth + 1)}>`
    : 'object';
}
