/** `pincer token`: credentials of their own for clients that should not see everything, and for apps. */
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
  description: 'Tokens of their own for clients that should not see everything, and for apps.',
  commands: {
    add: defineSubcommand({
      usage: 'NAME [--server S …] [--tool S.T …] [--read-only] [--approve] | NAME --app [--origin URL …]',
      summary: 'make a token; it is shown once',
      description: 'Makes a token and prints it. It is shown once.',
      arguments: ['<name>'],
      completes: [],
      options: {
        '--server <name>': { help: 'may use this server; may be given several times', many: true },
        '--tool <server.tool>': { help: 'may use this tool; * at the end matches the rest', many: true },
        '--read-only': 'may use only tools that say they change nothing',
        '--approve': 'what its client answers counts as your approval',
        '--app': 'for an app that registers its tools with the app proxy; needs no hub',
        '--origin <url>': {
          help: 'with --app: pages of this origin may use it; may be given several times',
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
            throw misuse('An app calls nothing: --app goes with --origin alone.', APP_USAGE);
          return addAppToken(name, origin ?? [], context);
        }
        if (origin !== undefined) throw misuse('--origin is for apps.', APP_USAGE);
        return addToken(name, scopes, context);
      },
    }),
    list: defineSubcommand({
      summary: 'tokens and what they may use',
      description: 'Tokens and what they may use; never the tokens themselves.',
      run: (_given, context) => listTokens(context),
    }),
    revoke: defineSubcommand({
      usage: 'NAME',
      summary: 'make a token worthless',
      description: 'Makes a token worthless, at once.',
      arguments: ['<name>'],
      completes: 'tokens',
      run: ({ words: [name] }, context) => revokeToken(name, context),
    }),
  },
});

const APP_USAGE = 'Write `pincer token add NAME --app --origin https://…`.';

async function addToken(name: string, scopes: Scopes, context: Context): Promise<ExitCode> {
  // Whoever revokes a name should not have to say of which kind.
  if (hasApp(name, context))
    throw new PincerError('USAGE', `"${name}" is the name of an app's token already.`, {
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
    note(`No server "${visible(each)}" is configured: the token has nothing of it until one is.\n`);
  return EXIT.ok;
}

/** Needs no hub; one that runs takes it over. */
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

/** What is left to do before an app can use its token. */
function nextSteps(config: unknown, hubFile: HubFile | undefined): string {
  const running = hubFile?.endpoints.proxy;
  const register = `${running ?? addressIn(config)}/v1/chat/sessions`;
  const start = running === undefined ? 'Run the app proxy: pincer up' : 'The hub that runs has taken it.';
  return `Next:\n  1. ${start}\n  2. Let the app register with it: POST ${register}, Authorization: Bearer TOKEN (docs/apps.md)\n`;
}

/** Who takes the last lock away should know that the door is open then. */
function afterRevoked(config: unknown): string {
  const isLocked = appsIn(config).length > 0 || valueAt(config, ['proxy', 'appToken']) !== undefined;
  return isLocked
    ? ''
    : 'No app has a token now. Unless OPENCLAW_PROXY_APP_TOKEN is set, any program on this machine can register tools when the hub starts next.\n';
}

function addressIn(config: unknown): string {
  const at = (key: string): unknown => valueAt(config, ['proxy', key]);
  const [publicUrl, port] = [at('publicUrl'), at('port')];
  if (typeof publicUrl === 'string') return publicUrl.replace(/\/$/, '');
  return `http://127.0.0.1:${typeof port === 'number' && port > 0 ? port : DEFAULT_PROXY_PORT}`;
}

/**
 * What a token is confined to, before it is made: a name that nothing can have would make it worthless, unsaid.
 * Throws where no server and no tool can ever be meant.
 */
export function assertScopes({ servers = [], tools = [] }: Scopes): void {
  for (const server of servers)
    if (server === '' || !isPrefix(server))
      throw misuse(
        `--server takes the name of a server, and "${visible(server)}" is none.`,
        server.includes('.') ? `For one tool: --tool ${server}` : '`pincer list` shows their names.',
      );
  for (const tool of tools)
    if (!tool.includes('.') && !tool.endsWith('*'))
      throw misuse(
        `--tool takes SERVER.TOOL, and "${visible(tool)}" has no dot.`,
        `All tools of a server: --server ${tool}`,
      );
}

/** Those of its scopes that nothing answers to now; it may come later. */
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
    return 'No tokens besides the one in mcp-token.txt. Make one:\n  pincer token add laptop --read-only\n';
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
  /** Of the web pages that may use the token. */
  readonly origins: readonly string[];
}

interface AddedApp extends Changed {
  readonly token: string;
}

/** Tokens of apps: entries of `proxy.apps` in config.json. The token itself is kept nowhere. */
async function addApp(name: string, origins: readonly string[], context: Context): Promise<AddedApp> {
  const token = randomBytes(32).toString('base64url');
  const tokenHash = createHash('sha256').update(token).digest('hex');
  const changed = await changeConfig(context, (config) => {
    const isTaken =
      placesOf(config, name).length > 0 || readCredentialNames(storeFiles(context.home).state).has(name);
    if (isTaken)
      throw new PincerError('USAGE', `A token "${name}" exists already.`, {
        hint: `Revoke it first: pincer token revoke ${name}`,
      });
    return [{ path: APPS, item: 'new', value: { name, tokenHash, origins } }];
  });
  return { ...changed, token };
}

/** Whether there was one. */
async function revokeApp(name: string, context: Context): Promise<boolean> {
  if (!hasApp(name, context)) return false;
  await changeConfig(context, (config) =>
    // From the end: what comes before stays where it is.
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
    throw new PincerError('CONFIG_INVALID', 'proxy.apps is no list.', {
      hint: 'See docs/config.md for every setting.',
    });
  return (apps ?? []).flatMap((app: unknown, index: number) =>
    valueAt(app, ['name']) === name ? [index] : [],
  );
}
