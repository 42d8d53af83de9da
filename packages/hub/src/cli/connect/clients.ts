/** The clients that Pincer can be connected to, and the format of each one's settings. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { applicationData, locationsOf, type ClientId, type Place } from '../../config/import/locations.ts';
import { shellWord } from '../../lib/text.ts';
import type { ConnectFacts, Mode } from './facts.ts';

const ownFile =
  (id: ClientId) =>
  (place: Place): string => {
    const own = locationsOf(id, place).filter(({ project }) => project === undefined);
    return (own.find(({ file }) => existsSync(file)) ?? own[0]!).file;
  };

const programEntry = ({ program: { command, args, env } }: ConnectFacts): object => ({
  command,
  args,
  ...(Object.keys(env).length > 0 && { env }),
});

const bearer = (token: string): { headers: { Authorization: string } } => ({
  headers: { Authorization: `Bearer ${token}` },
});

/** The command line, quoted for a shell. */
const programWords = ({ program: { command, args } }: ConnectFacts): string =>
  [command, ...args].map(shellWord).join(' ');

/** The environment variables, each after `option`. */
const variables = (option: string, { program: { env } }: ConnectFacts): string =>
  Object.entries(env)
    .map(([name, value]) => `${option} ${shellWord(`${name}=${value}`)} `)
    .join('');

/** JSON in double quotes, so that the shell still expands `$(…)` in it. */
const quotedJson = (value: object): string => `"${JSON.stringify(value).replaceAll('"', String.raw`\"`)}"`;

export const CONNECT_CLIENTS: readonly ConnectClient[] = [
  {
    id: 'claude-code',
    title: 'Claude Code',
    modes: ['http', 'stdio'],
    format: 'json',
    file: ownFile('claude-code'),
    path: ['mcpServers'],
    programs: ['claude'],
    tokenReference: '${PINCER_TOKEN}',
    entry: (mode, facts, token) =>
      mode === 'stdio'
        ? { type: 'stdio', ...programEntry(facts) }
        : { type: 'http', url: facts.url, ...bearer(token) },
    command: (mode, facts, token) =>
      mode === 'stdio'
        ? `claude mcp add --scope user ${facts.name} ${variables('-e', facts)}-- ${programWords(facts)}`
        : `claude mcp add --scope user --transport http ${facts.name} ${facts.url} --header "Authorization: Bearer ${token}"`,
    notes: () => [
      'A running Claude Code may overwrite this change. Quit it first, or use `claude mcp add` instead.',
    ],
  },
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    modes: ['stdio'],
    format: 'json',
    file: ownFile('claude-desktop'),
    path: ['mcpServers'],
    programs: [],
    tokenReference: undefined,
    entry: (_mode, facts) => programEntry(facts),
    notes: () => ['Restart Claude Desktop: it reads the file only when it starts.'],
  },
  {
    id: 'cursor',
    title: 'Cursor',
    modes: ['stdio', 'http'],
    format: 'json',
    file: ownFile('cursor'),
    path: ['mcpServers'],
    programs: ['cursor'],
    tokenReference: '${env:PINCER_TOKEN}',
    entry: (mode, facts, token) =>
      mode === 'stdio' ? programEntry(facts) : { url: facts.url, ...bearer(token) },
  },
  {
    id: 'vscode',
    title: 'VS Code',
    modes: ['stdio', 'http'],
    format: 'json',
    file: ownFile('vscode'),
    path: ['servers'],
    programs: ['code', 'code-insiders'],
    tokenReference: '${input:pincer-token}',
    entry: (mode, facts, token) =>
      mode === 'stdio'
        ? { type: 'stdio', ...programEntry(facts) }
        : { type: 'http', url: facts.url, ...bearer(token) },
    // VS Code may sync the file to other machines, so the token stays out of it. VS Code asks for it and stores it securely.
    extra: (mode) =>
      mode === 'stdio'
        ? undefined
        : {
            path: ['inputs'],
            key: 'id',
            item: { type: 'promptString', id: 'pincer-token', description: 'Pincer token', password: true },
          },
  },
  {
    id: 'codex',
    title: 'Codex',
    modes: ['stdio', 'http'],
    format: 'toml',
    file: ownFile('codex'),
    path: ['mcp_servers'],
    programs: ['codex'],
    tokenReference: '',
    entry: (mode, facts, token) => {
      if (mode === 'stdio') return programEntry(facts);
      // Codex cannot refer to a variable in a value; it has a separate setting for the variable's name.
      return token === ''
        ? { url: facts.url, bearer_token_env_var: 'PINCER_TOKEN' }
        : { url: facts.url, http_headers: { Authorization: `Bearer ${token}` } };
    },
    command: (mode, facts) =>
      mode === 'stdio'
        ? `codex mcp add ${facts.name} ${variables('--env', facts)}-- ${programWords(facts)}`
        : `codex mcp add ${facts.name} --url ${facts.url} --bearer-token-env-var PINCER_TOKEN`,
  },
  {
    id: 'gemini',
    title: 'Gemini CLI',
    modes: ['stdio', 'http'],
    format: 'json',
    file: ({ home }) => join(home, '.gemini', 'settings.json'),
    path: ['mcpServers'],
    programs: ['gemini'],
    tokenReference: '$PINCER_TOKEN',
    entry: (mode, facts, token) =>
      mode === 'stdio' ? programEntry(facts) : { url: facts.url, type: 'http', ...bearer(token) },
    command: (mode, facts, token) =>
      mode === 'stdio'
        ? undefined
        : `gemini mcp add --scope user --transport http --header "Authorization: Bearer ${token}" ${facts.name} ${facts.url}`,
    notes: () => ['Gemini CLI uses it only in trusted folders.'],
  },
  {
    id: 'windsurf',
    title: 'Windsurf',
    modes: ['stdio', 'http'],
    format: 'json',
    file: ownFile('windsurf'),
    path: ['mcpServers'],
    programs: ['windsurf'],
    tokenReference: '${env:PINCER_TOKEN}',
    entry: (mode, facts, token) =>
      mode === 'stdio' ? programEntry(facts) : { serverUrl: facts.url, ...bearer(token) },
  },
  {
    id: 'openclaw',
    title: 'OpenClaw',
    // HTTP is preferred: with stdio, OpenClaw starts a program for each conversation.
    modes: ['http', 'stdio'],
    format: 'json',
    file: ownFile('openclaw'),
    path: ['mcp', 'servers'],
    programs: ['openclaw'],
    tokenReference: '${PINCER_TOKEN}',
    entry: openclawEntry,
    command: (mode, facts, token) =>
      `openclaw mcp set ${facts.name} ${quotedJson(openclawEntry(mode, facts, token))}`,
  },
  {
    id: 'mcporter',
    title: 'mcporter',
    modes: ['stdio', 'http'],
    format: 'json',
    file: ownFile('mcporter'),
    path: ['mcpServers'],
    programs: ['mcporter'],
    tokenReference: '${PINCER_TOKEN}',
    entry: (mode, facts, token) =>
      mode === 'stdio' ? programEntry(facts) : { baseUrl: facts.url, ...bearer(token) },
  },
  {
    id: 'inspector',
    title: 'MCP Inspector',
    modes: ['http', 'stdio'],
    format: 'json',
    file: ({ home, env }) => env['MCP_CATALOG_PATH'] || join(home, '.mcp-inspector', 'mcp.json'),
    path: ['mcpServers'],
    programs: ['mcp-inspector'],
    tokenReference: undefined,
    entry: (mode, facts, token) =>
      mode === 'stdio'
        ? { type: 'stdio', ...programEntry(facts) }
        : { type: 'http', url: facts.url, ...bearer(token) },
    command: (mode, facts, token) =>
      mode === 'stdio'
        ? `npx @modelcontextprotocol/inspector --cli ${variables('-e', facts)}${programWords(facts)} --method tools/list`
        : `npx @modelcontextprotocol/inspector --cli ${facts.url} --transport http --header "Authorization: Bearer ${token}" --method tools/list`,
  },
];

/** Without `transport`, OpenClaw uses HTTP+SSE, which Pincer does not serve. */
function openclawEntry(mode: string, facts: ConnectFacts, token: string): object {
  if (mode === 'stdio') return programEntry(facts);
  return { url: facts.url, transport: 'streamable-http', ...bearer(token) };
}

/** Data folders of desktop programs, which may not be in PATH. */
export const foldersOf = (id: string, place: Place): string[] => {
  switch (id) {
    case 'claude-desktop':
      return [join(applicationData(place), 'Claude')];
    case 'vscode':
      return [join(applicationData(place), 'Code'), join(applicationData(place), 'Code - Insiders')];
    case 'windsurf':
      return [join(place.home, '.codeium', 'windsurf')];
    default:
      return [];
  }
};

export interface ConnectClient {
  readonly id: string;
  readonly title: string;
  /** The first is the default. */
  readonly modes: readonly [Mode, ...Mode[]];
  readonly format: 'json' | 'toml';
  /** The file of the user account, not of a project. */
  readonly file: (place: Place) => string;
  /** Path of the entries in the file. */
  readonly path: readonly string[];
  /** Programs in PATH that show that the client is installed. */
  readonly programs: readonly string[];
  readonly entry: (mode: Mode, facts: ConnectFacts, token: string) => object;
  /** How a value in the file refers to the variable PINCER_TOKEN; undefined if it cannot. */
  readonly tokenReference: string | undefined;
  /** The client's own command that adds the entry. `token` is inserted inside double quotes. */
  readonly command?: (mode: Mode, facts: ConnectFacts, token: string) => string | undefined;
  /** Further settings that the entry needs. */
  readonly extra?: (mode: Mode) => ExtraSetting | undefined;
  readonly notes?: (mode: Mode) => readonly string[];
}

export interface ExtraSetting {
  /** A list in the file. */
  readonly path: readonly string[];
  /** Items with the same value of this member are the same item. */
  readonly key: string;
  readonly item: Readonly<Record<string, unknown>>;
}

export const TOKEN_VARIABLE = 'PINCER_TOKEN';
