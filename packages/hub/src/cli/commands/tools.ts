/** `pincer tools`: lists tools with their parameters, and changes which tools a server offers. */
import { PincerError } from '../../core/errors.ts';
import { visibleBlock, visible } from '../../core/visible.ts';
import { explainServer } from '../call/explain.ts';
import type { ToolDefinition, ToolReport } from '../../control/contract/servers.ts';
import type { HeldTool, ServerReport } from '../../control/contract/status.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { ask, askText, openHub, type HubClient, findHubClient } from '../../control/client/hub-client.ts';
import { note, print, printJsonText } from '../terminal/output.ts';
import { renderServerList } from '../render/server-list.ts';
import { heldReason, stateWord } from '../../control/client/state-word.ts';
import { styleFor, type Style } from '../terminal/style.ts';
import { showWaiting } from '../terminal/waiting.ts';
import { fit } from '../render/columns.ts';
import { plural, shellWord } from '../../lib/text.ts';
import { firstLine } from '../render/text.ts';
import { isRecord } from '../../lib/record.ts';
import {
  asSchema,
  branchesOf,
  choicesOf,
  objectParts,
  resolveSchema,
  type Schema,
} from '../../core/schema/json-schema.ts';
import { parameterTexts, schemaText, type TypeLimits } from '../../core/schema/type-text.ts';
import { EXAMPLE_KEY } from '../../core/protocol.ts';
import { typesOf } from '../call/arguments.ts';
import type { ConfigChange } from '../../config/edit.ts';
import { changeConfig } from '../settings/change-config.ts';
import { serverIn } from '../servers/named-server.ts';
import { reportChange } from '../settings/report-change.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  usage: '[SERVER] [--include TOOL …] [--exclude TOOL …] [--clear]',
  description:
    'Lists tools with their parameters and an example call for each. With --include, --exclude or --clear, changes which tools of a server are offered.',
  arguments: ['[server]'],
  options: {
    '--include <tool>': {
      help: 'offer only these tools; * matches anything; separate several by commas',
      many: true,
    },
    '--exclude <tool>': { help: 'do not offer these tools, even if --include matches them', many: true },
    '--clear': 'remove these filters and offer all tools again',
  },
  run({ words: [server], flags }, context) {
    const { include, exclude, clear } = flags;
    const isFilter = include !== undefined || exclude !== undefined || clear;
    return isFilter ? filterTools(server, flags, context) : tools(server, context);
  },
});

async function tools(server: string | undefined, context: Context): Promise<ExitCode> {
  const hub = await openHub(context);
  const answer = await showWaiting('Asking the servers', listTools(hub, server), context.json);
  const { servers, held: allHeld = [], proxy } = await ask(hub, 'GET status');
  const isMeant = (name: string): boolean => (server ?? name) === name;
  const silent = servers.filter(
    ({ name, error, tools: count }) => isMeant(name) && error !== undefined && count === 0,
  );
  if (server !== undefined && silent[0] !== undefined) throw unreachable(silent[0]);
  const held = allHeld.filter((tool) => isMeant(tool.server));
  const stale = servers.filter(
    ({ name, isStale, tools: count }) => isMeant(name) && isStale === true && count > 0,
  );
  if (context.json) {
    const rest = { stale: stale.map(({ name }) => name), held };
    // Insert the hub's text unparsed, so that no number in a schema is rounded.
    printJsonText(`{"ok":true,"tools":${answer},${JSON.stringify(rest).slice(1)}\n`);
  } else if (server === undefined && servers.length === 0 && answer === '[]' && held.length === 0)
    print(renderServerList([], styleFor(process.stdout)));
  else {
    const list = JSON.parse(answer) as ToolReport[];
    const words = stale.map(({ name, state, transport }) => [name, stateWord(state, transport)] as const);
    print(renderToolList(list, { style: styleFor(process.stdout), stale: new Map(words), held }));
  }
  if (answer === '[]' && proxy?.apps.some(({ name, bridges }) => name === server && bridges === 0) === true)
    note(`The app ${server} is not connected, so it offers no tools now.\n`);
  for (const { name, error } of silent) note(`${name}: ${visibleBlock(error!.message)}\n`);
  return EXIT.ok;
}

async function listTools(hub: HubClient, server: string | undefined): Promise<string> {
  try {
    return await askText(hub, 'GET tools', { query: { server } });
  } catch (error) {
    if (server === undefined || !PincerError.is(error) || error.code !== 'SERVER_UNKNOWN') throw error;
    throw await explainServer(hub, server);
  }
}

const unreachable = ({ error }: ServerReport): PincerError =>
  new PincerError('SERVER_UNREACHABLE', error!.message, { hint: error!.hint });

const MAX_TEXT = 100;

interface ToolListOptions {
  readonly style: Style;
  /** Servers that are not connected and show the tools of their last connection, with their current state. */
  readonly stale: ReadonlyMap<string, string>;
  readonly held: readonly HeldTool[];
}

/** For each tool, grouped by server: its signature, the first line of its description, and an example call. */
export function renderToolList(tools: readonly ToolReport[], options: ToolListOptions): string {
  const { style, stale, held } = options;
  const byServer = Map.groupBy(tools, ({ server }) => server);
  const servers = new Set([...byServer.keys(), ...held.map(({ server }) => server)]);
  const parts = [...servers].flatMap((server) => {
    const ofServer = byServer.get(server) ?? [];
    const state = stale.get(server);
    const mark = state === undefined ? '' : style.yellow(` from the last connection; now: ${state}`);
    return [
      `${style.bold(server)} ${style.dim(`(${plural(ofServer.length, 'tool')})`)}${mark}`,
      '',
      ...ofServer.flatMap((tool) => [...renderTool(tool, style), '']),
      ...renderHeld(
        server,
        held.filter((tool) => tool.server === server),
        style,
      ),
    ];
  });
  return `${parts.join('\n')}\n`.replace(/\n\n$/, '\n');
}

function renderHeld(server: string, held: readonly HeldTool[], style: Style): string[] {
  if (held.length === 0) return [];
  const lines = held.map(
    ({ tool, why }) =>
      `  ${style.yellow('!')} ${visible(tool)} ${style.dim(`is held: it ${heldReason(why)}`)}`,
  );
  return [...lines, `    ${style.dim(`$ pincer accept ${server}`)}`, ''];
}

function renderTool(tool: ToolReport, style: Style): string[] {
  const signature = renderSignature(tool).split('\n');
  const text = firstLine(tool.definition.description);
  const lines = signature.map((line) => `  ${line}`);
  const marks = marksOf(tool);
  if (text !== '' || marks !== '')
    lines.push(`    ${fit(text, MAX_TEXT)}${marks === '' ? '' : style.yellow(` ${marks}`)}`.trimEnd());
  lines.push(`    ${style.dim(`$ ${renderCallLine(tool)}`)}`);
  return lines;
}

function marksOf({ definition: { annotations = {} } }: ToolReport): string {
  if (annotations['readOnlyHint'] === true) return '[read-only]';
  return annotations['destructiveHint'] === true ? '[destructive]' : '';
}

const MAX_WIDTH = 100;
const LIMITS: TypeLimits = { maxParameters: Infinity, maxInnerParts: Infinity, maxTypes: 1_000 };

/** A TypeScript-like signature with all parameters. */
export function renderSignature({ name, definition }: ToolReport): string {
  const parameters = parameterTexts(asSchema(definition.inputSchema), LIMITS).map(({ text }) => text);
  const output = isRecord(definition.outputSchema) ? `: ${schemaText(definition.outputSchema, LIMITS)}` : '';
  const oneLine = `${name}(${parameters.join(', ')})${output}`;
  if (oneLine.length <= MAX_WIDTH || parameters.length === 0) return visible(oneLine);
  return [`${name}(`, ...parameters.map((parameter) => `  ${parameter},`), `)${output}`]
    .map(visible)
    .join('\n');
}

/** An example call to copy: the tool's own example, or all required arguments with sample values. */
export function renderCallLine({ server, name, definition }: ToolReport): string {
  const words = exampleWords(definition) ?? requiredWords(definition);
  const rest = [`${server}.${name}`, ...words].map((word) => shellWord(visible(word)));
  return ['pincer call', ...rest].join(' ');
}

function exampleWords({ _meta }: ToolDefinition): string[] | undefined {
  const example = _meta?.[EXAMPLE_KEY];
  if (!isRecord(example)) return undefined;
  return Object.entries(example).map(([key, value]) =>
    typeof value === 'string' ? `${key}=${value}` : `${key}:=${JSON.stringify(value)}`,
  );
}

function requiredWords({ inputSchema }: ToolDefinition): string[] {
  const root = asSchema(inputSchema);
  const { properties, required } = objectParts(root);
  return required.map((key) => `${key}=${sampleText(properties[key], root)}`);
}

function sampleText(schema: unknown, root: Schema): string {
  const resolved = resolveSchema(schema, root);
  const { default: fallback, examples } = resolved;
  const given = [fallback, ...(Array.isArray(examples) ? examples : []), ...(choicesOf(resolved) ?? [])];
  const sample = given.find((value) => value !== undefined && value !== null);
  if (sample !== undefined) return typeof sample === 'string' ? sample : JSON.stringify(sample);
  const types = typesOf(resolved, root);
  if (types.has('string')) return 'text';
  if (types.has('integer') || types.has('number')) return String(minimumOf(resolved) ?? 1);
  if (types.has('boolean')) return 'true';
  if (types.has('array')) return '[]';
  if (types.has('object')) return '{}';
  return branchesOf(resolved).length > 0 ? 'null' : 'text';
}

const minimumOf = (schema: Schema): number | undefined => {
  const { minimum } = schema;
  return typeof minimum === 'number' && minimum > 1 ? minimum : undefined;
};

interface FilterFlags {
  readonly include: readonly string[] | undefined;
  readonly exclude: readonly string[] | undefined;
  readonly clear: boolean;
}

async function filterTools(
  server: string | undefined,
  flags: FilterFlags,
  context: Context,
): Promise<ExitCode> {
  if (server === undefined)
    throw new PincerError('USAGE', 'The server is missing.', {
      hint: "For example: pincer tools SERVER --include 'read_*'",
    });
  const changed = await changeConfig(context, (config) => changesOf(server, flags, serverIn(config, server)));
  reportChange(server, changed, context);
  if (!context.json && changed.reload !== undefined) await countLeft(server, context);
  return EXIT.ok;
}

function changesOf(
  server: string,
  { include, exclude, clear }: FilterFlags,
  written: Readonly<Record<string, unknown>>,
): ConfigChange[] {
  const path = ['servers', server, 'toolFilter'];
  const prefix = typeof written['toolPrefix'] === 'string' ? written['toolPrefix'] : server;
  const given = {
    ...(include && { include: names(include, prefix) }),
    ...(exclude && { exclude: names(exclude, prefix) }),
  };
  // --clear applies first: `--clear --include x` offers only x.
  if (clear) return [{ path, value: Object.keys(given).length === 0 ? undefined : given }];
  if (!isRecord(written['toolFilter'])) return [{ path, value: given }];
  return Object.entries(given).map(([key, value]) => ({ path: [...path, key], value }));
}

/** The server's own tool names: `docs__read` becomes `read`. */
const names = (words: readonly string[], prefix: string): string[] =>
  words
    .flatMap((word) => word.split(','))
    .map((word) => word.trim())
    .filter((word) => word !== '')
    .map((word) => (prefix !== '' && word.startsWith(`${prefix}__`) ? word.slice(prefix.length + 2) : word));

async function countLeft(server: string, context: Context): Promise<void> {
  const hub = findHubClient(context);
  const offer = hub && (await ask(hub, 'GET offer', { query: { server } }));
  if (offer?.isKnown !== true) return;
  const count = plural(offer.tools.length, 'tool');
  note(
    offer.tools.length === 0
      ? `${server} offers no tools now. To offer all again: pincer tools ${server} --clear\n`
      : `${server} offers ${count} now.\n`,
  );
}
