/** `openclaw.plugin.json`: what OpenClaw knows about this plugin without running it. */
import { z } from 'zod';
import { isSecretSetting } from '../../../hub/src/config/secrets.ts';
import { configSchema as hubSchema } from '../../../hub/src/config/schema.ts';
import { MCP_SERVER, PINCER } from '../cli/commands.ts';

const NAMES_AND_VALUES = 'A value may be $NAME (environment) or $secret:NAME (Pincer’s vault).';

const UI_HINTS = {
  servers: {
    label: 'MCP servers',
    help: `Servers by name: url for a remote server, command and args for a program on this machine. ${NAMES_AND_VALUES}`,
  },
  'servers.*.url': { label: 'URL', placeholder: 'https://mcp.example.com/mcp', tags: ['url-secret'] },
  toolDiscoveryInterval: {
    label: 'Look for new tools every (ms)',
    help: 'Default: 300000. With 0, only servers that announce changes are asked again.',
    advanced: true,
  },
  maxConcurrentServers: {
    label: 'Servers that connect at a time',
    help: 'Default: 20. All configured servers are used.',
    advanced: true,
  },
  debug: { label: 'Debug logging', advanced: true },
  toolsVia: {
    label: 'How agents get the tools',
    help: 'mcp-servers (default): one managed entry in mcp.servers per server. node: published by a separate node.',
    advanced: true,
  },
};

const MANIFEST = {
  id: 'mcp-client',
  name: 'MCP Client (Pincer)',
  description:
    'MCP servers for all agents: one connection for all conversations, sign-in, approvals and a log, by Pincer.',
  categories: ['integrations'],
  activation: { onStartup: true },
  contracts: { tools: ['mcp_manage'] },
  skills: ['./skills'],
  commandAliases: [{ name: 'mcp', kind: 'runtime-slash', cliCommand: 'pincer' }],
  cliCommands: [PINCER, MCP_SERVER],
};

/** The text of the file. The version is that of the package. */
export function manifestText(version: string): string {
  const { id, name, description, ...rest } = MANIFEST;
  const configSchema = pluginJsonSchema();
  const secret = { help: NAMES_AND_VALUES, sensitive: true };
  const secrets = Object.fromEntries(secretSettings(strictSchema()).map((path) => [path, secret]));
  const uiHints = { ...UI_HINTS, ...secrets };
  const manifest = { id, name, description, version, ...rest, uiHints, configSchema };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

/** The settings at `plugins.entries.mcp-client.config`. Only the manifest uses this schema, never the running plugin. */
const pluginSchema = hubSchema
  .pick({ servers: true, toolDiscoveryInterval: true, maxConcurrentServers: true, debug: true })
  .extend({
    /** How agents get the tools: see docs/openclaw.md. */
    toolsVia: z.enum(['mcp-servers', 'node']).optional(),
  });

/**
 * The schema that OpenClaw checks before it loads this plugin:
 * - without defaults, because the host would pass them on as if the person had written them;
 * - without formats, because `$NAME` and `$secret:NAME` may replace any text;
 * - without rules for single servers, because OpenClaw would refuse its whole file for one of them. The hub reports
 *   an invalid server with its line, and uses the others.
 */
export function pluginJsonSchema(): Record<string, unknown> {
  const schema = strictSchema();
  const { servers, ...settings } = schema['properties'] as Record<string, Record<string, unknown>>;
  const anyServer = namesOnly(servers!['additionalProperties'] as Record<string, unknown>);
  return {
    ...schema,
    properties: { servers: { ...servers, additionalProperties: anyServer }, ...settings },
  };
}

/** Keeps the names of the settings, which forms show, and drops every rule for values. */
function namesOnly({ properties, items }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (typeof items === 'object') return { items: {} };
  if (typeof properties !== 'object' || properties === null) return {};
  const names = Object.entries(properties as Record<string, Record<string, unknown>>);
  return { properties: Object.fromEntries(names.map(([name, member]) => [name, namesOnly(member)])) };
}

/** Includes the rules for servers, from which the secret settings are derived. */
function strictSchema(): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(pluginSchema, {
    io: 'input',
    unrepresentable: 'any',
    override({ jsonSchema }) {
      delete jsonSchema.default;
      delete jsonSchema.format;
      delete jsonSchema.pattern;
    },
  });
  return schema;
}

/** The part of a JSON Schema that is read here. */
interface Shape {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape | boolean;
}

/** Servers read any values from these, including secrets. */
const ANY_VALUE: ReadonlySet<string> = new Set(['env', 'headers']);

/** The settings that may hold a secret, in OpenClaw's notation: `servers.*.apiKey`. */
const secretSettings = (schema: object): string[] =>
  textsIn(schema, [])
    .filter((path) => isSecret(path.at(-1)!) || ANY_VALUE.has(path.at(-2) ?? ''))
    .map((path) => path.join('.'));

/** The URL of an authorization server is not a secret. */
const isSecret = (name: string): boolean => isSecretSetting(name) && !name.endsWith('Url');

/** The paths of all text settings. `*` stands for any name. */
function textsIn(schema: Shape, path: readonly string[]): string[][] {
  if (schema.type === 'string' && schema.enum === undefined) return [[...path]];
  const { properties = {}, additionalProperties: any } = schema;
  const members = typeof any === 'object' ? { ...properties, '*': any } : properties;
  return Object.entries(members).flatMap(([key, member]) => textsIn(member, [...path, key]));
}
