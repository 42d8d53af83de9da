/** Writes the commands into the documentation, from their definitions: in full, and as one line each. */
import { isRecord } from '../lib/record.ts';
import { shellWord } from '../lib/text.ts';
import type { Capability, RegisteredCommand } from './registry/capability.ts';
import { createRegistry } from './registry/registry.ts';
import { toolOf } from './registry/tool.ts';

const BEGIN = '<!-- commands: written by npm run docs:device -->';
const END = '<!-- end of commands -->';

/** The page with the full entries, relative to the page with the examples. */
const FULL_PAGE = 'device-commands.md';

/** Writes the full entry of each command. */
export const withCommands = (page: string, capabilities: readonly Capability[]): string =>
  between(
    page,
    commandsText(capabilities, '##', (commands) => commands.map(commandText).join('\n\n')),
  );

/** Writes an example of each command, with a link to its full entry. */
export const withExamples = (page: string, capabilities: readonly Capability[]): string =>
  between(
    page,
    commandsText(capabilities, '###', (commands) => commands.map(exampleText).join('\n')),
  );

function between(page: string, text: string): string {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from === -1 || to < from) throw new Error(`The page has no place for commands: ${BEGIN}`);
  return `${page.slice(0, from + BEGIN.length)}\n\n${text}\n\n${page.slice(to)}`;
}

function commandsText(
  capabilities: readonly Capability[],
  level: string,
  textOf: (commands: readonly RegisteredCommand[]) => string,
): string {
  const registry = createRegistry({ isOn: () => true });
  for (const capability of capabilities) registry.register(capability);
  const categories = Map.groupBy(registry.list(), ({ capability }) => capability.category);
  return [...categories]
    .map(([category, commands]) => `${level} ${category}\n\n${textOf(commands)}`)
    .join('\n\n');
}

function exampleText({ name, command: { annotations, example = {} } }: RegisteredCommand): string {
  const anchor = name.toLowerCase().replaceAll('.', '');
  const line = `pincer call device.${name}${argumentsText(example, isOneLine)}`;
  return `- [${name}](${FULL_PAGE}#${anchor}): ${annotations.title}. \`${line}\``;
}

function commandText(registered: RegisteredCommand): string {
  const { name, command } = registered;
  const { inputSchema, outputSchema } = toolOf(registered);
  return [
    `### ${name}`,
    command.description,
    ...table('argument', inputSchema),
    ...table('result', outputSchema),
    ['```sh', `pincer call device.${name}${argumentsText(command.example ?? {}, isText)}`, '```'].join('\n'),
  ].join('\n\n');
}

type Schema = Readonly<Record<string, unknown>>;

function table(title: string, schema: Schema): string[] {
  const properties = isRecord(schema['properties']) ? Object.entries(schema['properties']) : [];
  if (properties.length === 0) return [];
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const rows = properties.map(([key, value]) => {
    const property = isRecord(value) ? value : {};
    const about = typeof property['description'] === 'string' ? property['description'] : '';
    const facts =
      title === 'argument' ? [boundsText(property), required.includes(key) && '**Required.**'] : [];
    return `| \`${key}\` | ${typeOf(property)} | ${cell([about, ...facts].filter(Boolean).join(' '))} |`;
  });
  return [[`| ${title} | type | meaning |`, '| --- | --- | --- |', ...rows].join('\n')];
}

/** Bounds and default from the schema: descriptions omit them. */
function boundsText({ minimum, maximum, maxLength, default: fallback }: Schema): string {
  const facts: string[] = [];
  if (typeof minimum === 'number')
    facts.push(typeof maximum === 'number' ? `${minimum} to ${maximum}` : `at least ${minimum}`);
  if (typeof maxLength === 'number') facts.push(`at most ${maxLength} characters`);
  if (fallback !== undefined) facts.push(`\`${JSON.stringify(fallback)}\` if absent`);
  const text = facts.join(', ');
  return text === '' ? '' : `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

function typeOf({ type, enum: choices, const: only, anyOf, ...rest }: Schema): string {
  if (only !== undefined) return `\`${JSON.stringify(only)}\``;
  if (Array.isArray(choices)) return choices.map((choice) => `\`${JSON.stringify(choice)}\``).join(', ');
  if (Array.isArray(anyOf)) return oneOf(anyOf.filter(isRecord).map(typeOf));
  if (Array.isArray(type)) return oneOf(type.map((each: unknown) => typeOf({ ...rest, type: each })));
  if (type === 'array') return `array of ${isRecord(rest['items']) ? typeOf(rest['items']) : 'anything'}`;
  if (type === 'object') return objectText(rest);
  return typeof type === 'string' ? type : 'anything';
}

const oneOf = (types: readonly string[]): string => [...new Set(types)].join(' or ');

/** Names the members of an object, without their types. */
function objectText({ properties, required, additionalProperties }: Schema): string {
  const names = isRecord(properties) ? Object.keys(properties) : [];
  if (names.length === 0)
    return isRecord(additionalProperties) && 'type' in additionalProperties
      ? `object of ${typeOf(additionalProperties)}`
      : 'object';
  const always = new Set(Array.isArray(required) ? required : []);
  const members = names.map((name) => (always.has(name) ? name : `${name}?`));
  const more = additionalProperties === true || isRecord(additionalProperties) ? ['…'] : [];
  return `\`{${[...members, ...more].join(', ')}}\``;
}

const cell = (text: string): string =>
  text
    .trim()
    .replaceAll('|', String.raw`\|`)
    .replaceAll(/\s+/g, ' ');

const isText = (value: unknown): value is string => typeof value === 'string';
const isOneLine = (value: unknown): value is string => isText(value) && !value.includes('\n');

/** `isPlain` decides which values are written as they are. Others are JSON. */
const argumentsText = (
  args: Readonly<Record<string, unknown>>,
  isPlain: (value: unknown) => value is string,
): string =>
  Object.entries(args)
    .map(([key, value]) => shellWord(isPlain(value) ? `${key}=${value}` : `${key}:=${JSON.stringify(value)}`))
    .map((word) => ` ${word}`)
    .join('');
