/** `pincer token`: manages separate tokens for clients with fewer rights, and for apps. */
import { appsIn, readConfigFile } from '../../config/read-file.ts';
import type { Scopes } from '../../core/caller.ts';
import { PincerError } from '../../core/errors.ts';
import { visible } from '../../core/visible.ts';
import { findHub, type HubFile } from '../../owner/hub-file.ts';
import { configPath } from '../../owner/state-folder.ts';
import { storeFiles } from '../../store/files.ts';
import { readCredentialNames } from '../../store/credential-names.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { ask, openHub } from '../../control/client/hub-client.ts';
import type { TokenReport as ClientToken } from '../../control/contract/people.ts';
import { usable } from '../servers/unknown-server.ts';
import { ownViews } from '../servers/views.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { styleFor, type Style } from '../terminal/style.ts';
import { DEFAULT_PROXY_PORT } from '../../config/proxy-settings.ts';
import { valueAt } from '../../lib/record.ts';
import { isPrefix } from '../../core/catalog/tool-name.ts';
import { columns } from '../render/columns.ts';
import { createHash, randomBytes } from 'node:crypto';
import type { ConfigChange } from '../../config/edit.ts';
import { changeConfig, type Changed } from '../settings/change-config.ts';
import { defineCommand, defineSubcommand } from '../command.ts';

export const command = defineCommand({
  usage: 'add|list|revoke',
  description: 'Manages separate tokens for clients that may not use everything, and for apps.',
  commands: {
    add: defineSubcommand({
      usage: 'NAME [--server S …] [--tool S.T …] [--read-only] [--approve] | NAME --app [--origin URL …]',
      summary: 'create a token; it is shown once',
      description:
        'Creates a token and prints it once. Without --server, --tool and --read-only, the token may use everything.',
      arguments: ['<name>'],
      completes: [],
      options: {
        '--server <name>': { help: 'may use only this server; repeatable', many: true },
        '--tool <server.tool>': {
          help: 'may use only this tool; a * at the end matches any rest; repeatable',
          many: true,
        },
        '--read-only': 'may use only tools that are marked read-only',
        '--approve': 'its client may answer for you when a call needs approval',
        '--app': 'create a token for an app that registers its tools at the app proxy; needs no hub',
        '--origin <url>': {
          help: 'with --app: web pages of this origin may use the token; repeatable',
          many: true,
        },
      },
      run({ words: [name], flags: { server, tool, readOnly, approve, app, origin } }, context) {
        const scopes = {
          ...(server && { servers: server }),
          ...(tool && { tools: tool }),
          ...(readOnly && { readOnly }),
          ...(approve && { approve }),
        };
        if (app) {
          if (Object.keys(scopes).length > 0)
            throw misuse(
              '--app can be combined only with --origin, because an app calls no tools.',
              APP_USAGE,
            );
          return addAppToken(name, origin ?? [], context);
        }
        if (origin !== undefined) throw misuse('--origin works only with --app.', APP_USAGE);
        return addToken(name, scopes, context);
      },
    }),
    list: defineSubcommand({
      summary: 'list tokens and what they may use',
      description: 'Lists tokens by name and what they may use. Never shows the tokens themselves.',
      run: (_given, context) => listTokens(context),
    }),
    revoke: defineSubcommand({
      usage: 'NAME',
      summary: 'revoke a token',
      description: 'Revokes a token. It stops working at once.',
      arguments: ['<name>'],
      completes: 'tokens',
      run: ({ words: [name] }, context) => revokeToken(name, context),
    }),
  },
});

const APP_USAGE = 'For example: pincer token add NAME --app --origin https://example.com';

async function addToken(name: string, scopes: Scopes, context: Context): Promise<ExitCode> {
  // Names are unique over both kinds, so that `revoke` needs only a name.
  if (hasApp(name, context))
    throw new PincerError('USAGE', `An app already has a token named "${name}".`, {
      hint: `Choose another name, or revoke it first: pincer token revoke ${name}`,
    });
  assertScopes(scopes);
  const hub = await openHub(context);
  const { token } = await ask(hub, 'POST tokens', { body: { name, ...scopes } });
  if (context.json) printJson({ ok: true, name, token });
  else print(`${token}\n`);
  note(`This is the token "${name}". It is not shown again.\n`);
  const known = usable(await ask(hub, 'GET status')).map((each) => each.name);
  for (const each of unknownScopes(scopes, [...known, ...ownViews(context.home, process.env)]))
    note(`No server "${visible(each)}" exists yet. The token can use it once it is added.\n`);
  return EXIT.ok;
}

/** Needs no hub. A running hub applies the change. */
async function addAppToken(name: string, origins: readonly string[], context: Context): Promise<ExitCode> {
  const { token, reload } = await addApp(name, origins, context);
  if (context.json) printJson({ ok: true, name, kind: 'app', origins, token, reload: reload ?? null });
  else print(`${token}\n`);
  note(`This is the token of the app "${name}". It is not shown again.\n`);
  note(nextSteps(readConfigFile(configPath(context.home)), findHub(context.home)));
  return EXIT.ok;
}

async function listTokens(context: Context): Promise<ExitCode> {
  const clients = await ask(await openHub(context), 'GET tokens');
  const tokens = [...clients.map((each) => ({ ...each, kind: 'client' as const })), ...listApps(context)];
  if (context.json) printJson({ ok: true, tokens });
  else print(renderTokenList(tokens, styleFor(process.stdout)));
  return EXIT.ok;
}

async function revokeToken(name: string, context: Context): Promise<ExitCode> {
  const wasApp = await revokeApp(name, context);
  if (!wasApp || readCredentialNames(storeFiles(context.home).state).has(name))
    await ask(await openHub(context), 'DELETE tokens', { query: { name } });
  if (context.json) printJson({ ok: true, name });
  else print(`Token "${name}" is revoked.\n`);
  if (wasApp) note(afterRevoked(readConfigFile(configPath(context.home))));
  return EXIT.ok;
}

/** Steps before an app can use its token. */
function nextSteps(config: unknown, hubFile: HubFile | undefined): string {
  const running = hubFile?.endpoints.proxy;
  const register = `${running ?? addressIn(config)}/v1/chat/sessions`;
  const start =
    running === undefined ? 'Start the app proxy: pincer up' : 'The running hub accepts the token now.';
  return `Next:\n  1. ${start}\n  2. Register the app: POST ${register}, Authorization: Bearer TOKEN (docs/apps.md)\n`;
}

/** Warns if the proxy has no token left and therefore accepts any local program. */
function afterRevoked(config: unknown): string {
  const hasToken = appsIn(config).length > 0 || valueAt(config, ['proxy', 'appToken']) !== undefined;
  return hasToken
    ? ''
    : 'No app has a token now. After the next start of the hub, any program on this machine can register tools, unless OPENCLAW_PROXY_APP_TOKEN is set.\n';
}

function addressIn(config: unknown): string {
  const at = (key: string): unknown => valueAt(config, ['proxy', key]);
  const [publicUrl, port] = [at('publicUrl'), at('port')];
  if (typeof publicUrl === 'string') return publicUrl.replace(/\/$/, '');
  return `http://127.0.0.1:${typeof port === 'number' && port > 0 ? port : DEFAULT_PROXY_PORT}`;
}

/** Throws if a scope has a name that no server or tool can have: such a token would silently be useless. */
export function assertScopes({ servers = [], tools = [] }: Scopes): void {
  for (const server of servers)
    if (server === '' || !isPrefix(server))
      throw misuse(
        `--server takes the name of a server, but "${visible(server)}" cannot be one.`,
        server.includes('.') ? `For one tool: --tool ${server}` : 'List the servers: pincer list',
      );
  for (const tool of tools)
    if (!tool.includes('.') && !tool.endsWith('*'))
      throw misuse(
        `--tool takes SERVER.TOOL, but "${visible(tool)}" has no dot.`,
        `All tools of a server: --server ${tool}`,
      );
}

/** Servers in the scopes that do not exist yet. */
export function unknownScopes({ servers = [], tools = [] }: Scopes, known: readonly string[]): string[] {
  const ofTools = tools.filter((tool) => tool.includes('.')).map((tool) => tool.slice(0, tool.indexOf('.')));
  return [...new Set([...servers, ...ofTools])].filter((name) => !known.includes(name));
}

const misuse = (message: string, hint: string): PincerError => new PincerError('USAGE', message, { hint });

interface ClientReport extends ClientToken {
  readonly kind: 'client';
}

type TokenReport = ClientReport | AppReport;

export function renderTokenList(tokens: readonly TokenReport[], style: Style): string {
  if (tokens.length === 0)
    return 'No tokens besides the one in mcp-token.txt. Create one:\n  pincer token add laptop --read-only\n';
  const head = ['NAME', 'KIND', 'CREATED', 'MAY USE'].map((title) => style.dim(title));
  const rows = tokens.map((token) => [
    style.bold(visible(token.name)),
    token.kind,
    token.kind === 'client' ? token.createdAt.slice(0, 10) : '',
    token.kind === 'client' ? describeScopes(token.scopes) : describeApp(token),
  ]);
  return `${columns([head, ...rows]).join('\n')}\n`;
}

function describeScopes({ servers, tools, readOnly, approve }: Scopes): string {
  const places = [
    ...(servers === undefined ? [] : [`servers ${servers.join(', ')}`]),
    ...(tools === undefined ? [] : [`tools ${tools.join(', ')}`]),
  ];
  const what = places.length === 0 ? 'everything' : places.join(' and ');
  return visible(
    `${what}${readOnly === true ? ', read-only' : ''}${approve === true ? ', may approve its own calls' : ''}`,
  );
}

const describeApp = ({ origins }: AppReport): string =>
  visible(`the app proxy${origins.length === 0 ? '' : `, from pages of ${origins.join(', ')}`}`);

const APPS = ['proxy', 'apps'];

interface AppReport {
  readonly name: string;
  readonly kind: 'app';
  /** Origins of web pages that may use the token. */
  readonly origins: readonly string[];
}

interface AddedApp extends Changed {
  readonly token: string;
}

/** Adds an entry to `proxy.apps` in config.json. Only the hash of the token is stored. */
async function addApp(name: string, origins: readonly string[], context: Context): Promise<AddedApp> {
  const token = randomBytes(32).toString('base64url');
  const tokenHash = createHash('sha256').update(token).digest('hex');
  const changed = await changeConfig(context, (config) => {
    const isTaken =
      placesOf(config, name).length > 0 || readCredentialNames(storeFiles(context.home).state).has(name);
    if (isTaken)
      throw new PincerError('USAGE', `A token "${name}" already exists.`, {
        hint: `Revoke it first: pincer token revoke ${name}`,
      });
    return [{ path: APPS, item: 'new', value: { name, tokenHash, origins } }];
  });
  return { ...changed, token };
}

/** Returns whether there was such a token. */
async function revokeApp(name: string, context: Context): Promise<boolean> {
  if (!hasApp(name, context)) return false;
  await changeConfig(context, (config) =>
    // Remove from the end, so that the indexes before it stay valid.
    placesOf(config, name)
      .toReversed()
      .map((item): ConfigChange => ({ path: APPS, item, value: undefined })),
  );
  return true;
}

const hasApp = (name: string, { home }: Context): boolean =>
  appsIn(readConfigFile(configPath(home))).some((app) => app['name'] === name);

const listApps = ({ home }: Context): AppReport[] =>
  appsIn(readConfigFile(configPath(home))).map(({ name, origins }) => ({
    name: String(name),
    kind: 'app',
    origins: Array.isArray(origins) ? origins.map(String) : [],
  }));

function placesOf(config: unknown, name: string): number[] {
  const apps = valueAt(config, APPS);
  if (apps !== undefined && !Array.isArray(apps))
    throw new PincerError('CONFIG_INVALID', 'proxy.apps is not a list.', {
      hint: 'All settings are described in docs/config.md.',
    });
  return (apps ?? []).flatMap((app: unknown, index: number) =>
    valueAt(app, ['name']) === name ? [index] : [],
  );
}
