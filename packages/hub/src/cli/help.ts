/** Renders `--help` of the program and of each command. */
import { helpTextOf, type CommandDefinition, type CommandGroup, type OptionDefinitions } from './command.ts';
import { HELP_OPTION, PROGRAM_OPTIONS, readArgument } from './parse.ts';

const AFTER = `
Examples:
  pincer init
  pincer up
  pincer add everything -- npx -y @modelcontextprotocol/server-everything
  pincer add docs https://example.com/mcp --api-key-env DOCS_KEY
  pincer call everything.echo message=hi
  pincer connect claude-code --write
  pincer token add laptop --server docs --read-only

Exit codes:
  0 ok           1 failure      2 usage    3 sign-in needed
  4 unreachable  5 tool error   6 denied   130 interrupted
`;

type Item = readonly [term: string, text: string];

interface Section {
  readonly title: string;
  readonly items: readonly Item[];
}

export function renderProgramHelp(table: readonly CommandGroup[], width: number): string {
  const description = 'The MCP hub for OpenClaw: every tool you have, usable from everywhere you work.';
  const sections = [
    { title: 'Options:', items: optionItems({ ...PROGRAM_OPTIONS, ...HELP_OPTION }) },
    ...table.map(({ title, rows }) => ({
      title,
      items: rows.map(({ name, args, summary }): Item => [`${name} ${args}`.trimEnd(), summary]),
    })),
  ];
  return `${renderPage('pincer COMMAND [options]', { description, sections, width })}${AFTER}`;
}

export interface CommandHelp {
  /** `pincer token`, and the alias of the command after a `|`. */
  readonly path: string;
  readonly command: CommandDefinition;
  /** Options of its parent commands. */
  readonly inherited: readonly OptionDefinitions[];
  readonly width: number;
}

export function renderCommandHelp({ path, command, inherited, width }: CommandHelp): string {
  const { description, usage = '[options]', options = {}, commands = {} } = command;
  const args = (command.arguments ?? []).map(readArgument);
  const sections: Section[] = [
    {
      title: 'Arguments:',
      items: args.some(({ help }) => help !== '') ? args.map(({ name, help }) => [name, help]) : [],
    },
    { title: 'Options:', items: optionItems({ ...options, ...HELP_OPTION }) },
    { title: 'Global Options:', items: [...inherited, PROGRAM_OPTIONS].flatMap(optionItems) },
    {
      title: 'Commands:',
      items: Object.entries(commands).map(([name, each]) => [termOf(name, each.usage), each.summary]),
    },
  ];
  return renderPage(`${path} ${usage}`, { description, sections, width });
}

/** Options in a usage line, which are left out of a list of commands. Brackets may be nested. */
const OPTIONS = / \[(?:options|--(?:[^[\]]|\[[^[\]]*\])*)\]/g;

export const termOf = (name: string, usage = ''): string =>
  `${name} ${usage}`.replaceAll(OPTIONS, '').trimEnd();

const optionItems = (options: OptionDefinitions): Item[] =>
  Object.entries(options).map(([spec, definition]) => [spec, helpTextOf(definition)]);

interface Page {
  readonly description: string;
  readonly sections: readonly Section[];
  readonly width: number;
}

function renderPage(usage: string, { description, sections, width }: Page): string {
  const termWidth = Math.max(...sections.flatMap(({ items }) => items.map(([term]) => term.length)));
  const lines = [`Usage: ${usage}`, '', wrap(description, width), ''];
  for (const { title, items } of sections)
    if (items.length > 0) lines.push(title, ...items.map((item) => renderItem(item, termWidth, width)), '');
  return lines.join('\n');
}

const INDENT = 2;
const GAP = 2;

function renderItem([term, text]: Item, termWidth: number, width: number): string {
  if (text === '') return `${' '.repeat(INDENT)}${term}`;
  const left = INDENT + termWidth + GAP;
  const wrapped = wrap(text, width - left).replaceAll('\n', `\n${' '.repeat(left)}`);
  return `${' '.repeat(INDENT)}${term.padEnd(termWidth + GAP)}${wrapped}`;
}

/** Text in a narrower column is not wrapped. */
const MIN_WIDTH = 40;

function wrap(text: string, width: number): string {
  if (width < MIN_WIDTH) return text;
  const lines = text.split('\n').flatMap((paragraph) => {
    const wrapped = [''];
    for (const chunk of paragraph.match(/\s*\S+/g) ?? []) {
      const last = wrapped.at(-1)!;
      if (last === '') wrapped[wrapped.length - 1] = chunk;
      else if (last.length + chunk.length <= width) wrapped[wrapped.length - 1] = last + chunk;
      else wrapped.push(chunk.trimStart());
    }
    return wrapped;
  });
  return lines.join('\n');
}
