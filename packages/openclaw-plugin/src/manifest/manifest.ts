/** `openclaw.plugin.json`: what OpenClaw knows of this plugin without running it. */
import { MCP_SERVER, PINCER } from '../cli/commands.ts';
import { pluginJsonSchema, strictSchema } from './config-schema.ts';
import { secretSettings } from './secret-settings.ts';

const NAMES_AND_VALUES = 'A text may be $NAME (environment) or $secret:NAME (Pincer’s vault).';

const UI_HINTS = {
  servers: {
    label: 'MCP servers',
    help: `By name: url for a server on the web, command and args for one on this machine. ${NAMES_AND_VALUES}`,
  },
  'servers.*.url': { label: 'URL', placeholder: 'https://mcp.example.com/mcp', tags: ['url-secret'] },
  toolDiscoveryInterval: {
    label: 'Look for new tools every (ms)',
    help: '300000 by default; 0 is never, but for what servers announce themselves.',
    advanced: true,
  },
  maxConcurrentServers: {
    label: 'Servers that connect at once',
    help: '20 by default. All configured servers are served.',
    advanced: true,
  },
  debug: { label: 'Debug lines', advanced: true },
  toolsVia: {
    label: 'How agents get the tools',
    help: 'mcp-servers (default): one managed entry in mcp.servers for each server. node: published by a node of its own.',
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

/** The file's text; the version is that of the package. */
export function manifestText(version: string): string {
  const { id, name, description, ...rest } = MANIFEST;
  const configSchema = pluginJsonSchema();
  const secret = { help: NAMES_AND_VALUES, sensitive: true };
  const secrets = Object.fromEntries(secretSettings(strictSchema()).map((path) => [path, secret]));
  const uiHints = { ...UI_HINTS, ...secrets };
  const manifest = { id, name, description, version, ...rest, uiHints, configSchema };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}
