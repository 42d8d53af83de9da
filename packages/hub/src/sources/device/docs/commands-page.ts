/** Every command for people to read, written from the definitions: docs/device.md has it between two marks. */
import { isRecord } from '../../../core/is-record.ts';
import { shellWord } from '../../../core/shell-word.ts';
import { toolOf } from '../offer/tool.ts';
import type { Capability } from '../registry/capability.ts';
import { createRegistry, type RegisteredCommand } from '../registry/registry.ts';

const BEGIN = '<!-- commands: written by npm run docs:device -->';
const END = '<!-- end of commands -->';

/** The page with its commands as they are now. */
export function withCommands(page: string, capabilities: readonly Capability[]): string {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from === -1 || to < from) throw new Error(`The page has no place for commands: ${BEGIN}`);
  return `${page.slice(0, from + BEGIN.length)}\n\n${commandsText(capabilities)}\n${page.slice(to)}`;
}

function commandsText(capabilities: readonly Capability[]): string {
  const registry = createRegistry({ isOn: () => true });
  for (const capability of capabilities) registry.register(capability);
  const categories = Map.groupBy(registry.list(), ({ capability }) => capability.category);
  return [...categories]
    .map(([category, commands]) => [`### ${category}`, ...commands.map(commandText)].join('\n\n'))
    .join('\n\n')
    .concat('\n');
}

function commandText(registered: RegisteredCommand): string {
  const { name, command } = registered;
  const { inputSchema, outputSchema } = toolOf(registered);
  return [
    `#### ${name}`,
    command.description,
    ...table('argument', inputSchema),
    ...table('result', outputSchema),
    ['```sh', `pincer call device.${name}${argumentsText(command.example ?? {})}`, '```'].join('\n'),
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
    const must = title === 'argument' && required.includes(key) ? ' **Required.**' : '';
    return `| \`${key}\` | ${typeOf(property)} | ${cell(about + must)} |`;
  });
  return [[`| ${title} | type | meaning |`, '| --- | --- | --- |', ...rows].join('\n')];
}

function typeOf({ type, enum: choices, const: only, anyOf, items }: Schema): string {
  if (only !== undefined) return `\`${JSON.stringify(only)}\``;
  if (Array.isArray(choices)) return choices.map((choice) => `\`${JSON.stringify(choice)}\``).join(', ');
  if (type === 'array') return `array of ${isRecord(items) ? typeOf(items) : 'anything'}`;
  if (Array.isArray(anyOf)) return anyOf.filter(isRecord).map(typeOf).join(' or ');
  return typeof type === 'string' ? type : 'anything';
}

const cell = (text: string): string =>
  text
    .trim()
    .replaceAll('|', String.raw`\|`)
    .replaceAll(/\s+/g, ' ');

const argumentsText = (args: Readonly<Record<string, unknown>>): string =>
  Object.entries(args)
    .map(([key, value]) =>
      typeof value === 'string'
        ? shellWord(`${key}=${value}`)
        : shellWord(`${key}:=${JSON.stringify(value)}`),
    )
    .map((word) => ` ${word}`)
    .join('');
