/** The clients that can be told of Pincer, and how each wants to hear it. */
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

/** The program as words for a shell. */
const programWords = ({ program: { command, args } }: ConnectFacts): string =>
  [command, ...args].map(shellWord).join(' ');

/** Its variables, each after an option. */
const variables = (option: string, { program: { env } }: ConnectFacts): string =>
  Object.entries(env)
    .map(([name, value]) => `${option} ${shellWord(`${name}=${value}`)} `)
    .join('');

/** JSON in double quotes, so that `$(…)` in it is still put in. */
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
      'A Claude Code that runs may write its file over this: end it first, or use `claude mcp add`.',
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
    notes: () => ['Start Claude Desktop anew: it reads the file when it starts.'],
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
    // The file may be copied to other machines with the settings: VS Code keeps what it asked for elsewhere.
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
      // Codex has no references: a variable is named by a setting of its own.
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
    notes: () => ['Gemini CLI uses it in folders that it trusts.'],
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
    // It starts a program for each conversation.
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

/** For a bare `url` it would take HTTP+SSE, which Pincer does not serve. */
function openclawEntry(mode: string, facts: ConnectFacts, token: string): object {
  if (mode === 'stdio') return programEntry(facts);
  return { url: facts.url, transport: 'streamable-http', ...bearer(token) };
}

/** Folders of programs with windows, which need not be on the PATH. */
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
  /** How it is connected unless somebody says otherwise comes first. */
  readonly modes: readonly [Mode, ...Mode[]];
  readonly format: 'json' | 'toml';
  /** The person's own file. */
  readonly file: (place: Place) => string;
  /** Where in the file the entries are. */
  readonly path: readonly string[];
  /** What is there on a machine that has it: programs on the PATH. */
  readonly programs: readonly string[];
  readonly entry: (mode: Mode, facts: ConnectFacts, token: string) => object;
  /** How a string of the file refers to the variable PINCER_TOKEN; undefined where it cannot. */
  readonly tokenReference: string | undefined;
  /** A command of the client's own that does the same. `token` is one word of a shell, or a part of one in double quotes. */
  readonly command?: (mode: Mode, facts: ConnectFacts, token: string) => string | undefined;
  /** Further settings that the entry needs. */
  readonly extra?: (mode: Mode) => ExtraSetting | undefined;
  readonly notes?: (mode: Mode) => readonly string[];
}

export interface ExtraSetting {
  /** A list in the file. */
  readonly path: readonly string[];
  /** The member that makes an item of it the same as another. */
  readonly key: string;
  readonly item: Readonly<Record<string, unknown>>;
}

export const TOKEN_VARIABLE = 'PINCER_TOKEN';
