import { ask, PincerError, visible, type HubClient, type HubStatus, type ToolReport } from 'pincer/client';
import { modelName } from '../../rules/tool-name.ts';
import { plural, type Answer } from '../render.ts';
import { always, findServer, settled, type ManageContext, type Subcommand } from '../subcommand.ts';
import { startSignIn } from './auth.ts';
import { refreshServers, renderRefreshed } from './refresh.ts';

export const connect: Subcommand = {
  name: 'connect',
  usage: '<url> [--name <name>]',
  summary: 'add a server by its URL, or reconnect one by its name',
  flags: { name: 'value' },
  least: 1,
  most: Number.POSITIVE_INFINITY,
  changes: always,
  async run({ named, values }, context) {
    const hub = await context.hub();
    const status = await ask(hub, 'GET status');
    const [target, ...others] = named;
    if (target === '--' || others.length > 0) throw onlyAddresses();
    const url = addressOf(target!);
    if (url === undefined) return reconnect(context, status, target!);
    const known = status.servers.find((server) => server.target === url.href || server.target === target);
    if (known !== undefined && !values.has('name')) return reconnect(context, status, known.name);
    const name =
      values.get('name') ??
      serverName(
        url,
        status.servers.map((server) => server.name),
      );
    return add(context, { name, url: unwrapped(target!), hub });
  },
};

/** Slack and others put addresses in angle brackets. */
const unwrapped = (text: string): string => text.replace(/^<(.*)>$/, '$1');

function addressOf(text: string): URL | undefined {
  const url = URL.parse(unwrapped(text));
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url : undefined;
}

async function reconnect(context: ManageContext, { servers }: HubStatus, target: string): Promise<Answer> {
  if (/[./]/.test(target) && servers.every(({ name }) => name !== target))
    throw new PincerError('USAGE', `"${target}" is not the URL of a server.`, {
      hint: 'A URL begins with https://, or with http:// on this machine.',
    });
  const { name } = findServer(servers, target);
  const refreshed = renderRefreshed(await refreshServers(await context.hub(), [name]));
  return { lines: [...refreshed, ...(await settled(context, true))] };
}

interface Addition {
  readonly name: string;
  readonly url: string;
  readonly hub: HubClient;
}

async function add(context: ManageContext, { name, url, hub }: Addition): Promise<Answer> {
  try {
    const tools = await ask(hub, 'POST servers', { body: { name, config: { url } } });
    const last = await settled(context);
    const key = context.entries()?.find(({ server }) => server === name)?.key;
    return { ...renderConnected(name, key, tools), last };
  } catch (error) {
    const { code, message, hint, data } = PincerError.from(error);
    if (code === 'SIGN_IN_NEEDED' && data?.['isKept'] === true) {
      const { lines, ...rest } = await startSignIn(hub, { server: name }, context.now());
      return { ...rest, lines: [`${name} is saved in the configuration of Pincer.`, ...lines] };
    }
    throw new PincerError(code, `${message} Nothing was saved.`, {
      hint: hint ?? 'Correct the URL, then connect again.',
    });
  }
}

const onlyAddresses = (): PincerError =>
  new PincerError('USAGE', 'From a chat, only servers with a URL can be added.', {
    hint: 'To add a program on this machine, at a terminal: openclaw pincer add NAME -- COMMAND ARGUMENTS',
  });

const MAX_NAMES = 12;

/** `key` is the key of the server's entry, the prefix of its tools for agents. */
function renderConnected(name: string, key: string | undefined, tools: readonly ToolReport[]): Answer {
  const nameOf = (tool: ToolReport): string =>
    key === undefined ? (tool.exposed ?? tool.name) : modelName(key, tool.name);
  const names = tools.slice(0, MAX_NAMES).map((tool) => `  ${visible(nameOf(tool))}`);
  const left = tools.length - names.length;
  return {
    lines: [
      `${name} is connected: ${plural(tools.length, 'tool')}.`,
      ...names,
      ...(left > 0 ? [`  … ${left} more: /mcp tools ${name}`] : []),
      'It is saved in the configuration of Pincer.',
    ],
  };
}

/** Host name labels that do not identify a server. */
const GENERIC = new Set(['mcp', 'api', 'www', 'app', 'server', 'remote', 'gateway', 'sse']);
/** Before a country: `co.uk`, `com.au`. */
const SECOND_LEVEL = new Set(['ac', 'co', 'com', 'edu', 'gov', 'net', 'org']);
const RESERVED = new Set(['device', 'agent', 'apps']);
const MAX_NAME = 30;

/** Derives a name for a server from its address. */
export function serverName(url: URL, taken: Iterable<string>): string {
  const name = baseName(url);
  const used = new Set([...taken].map((each) => each.toLowerCase()));
  const isFree = (each: string): boolean => !used.has(each.toLowerCase()) && !RESERVED.has(each);
  if (isFree(name)) return name;
  for (let count = 2; ; count++) {
    const suffix = `-${count}`;
    const next = name.slice(0, MAX_NAME - suffix.length) + suffix;
    if (isFree(next)) return next;
  }
}

function baseName({ hostname, port }: URL): string {
  const isAddress = /^[\d.]+$/.test(hostname) || hostname.startsWith('[');
  if (isAddress || hostname === 'localhost') return port === '' ? 'local' : `local-${port}`;
  const labels = hostname.split('.');
  const ending = SECOND_LEVEL.has(labels.at(-2) ?? '') && labels.at(-1)!.length === 2 ? 2 : 1;
  const owned = labels.slice(0, Math.max(1, labels.length - ending));
  const best = owned.findLast((label) => !GENERIC.has(label)) ?? owned.at(-1)!;
  const plain = best.replaceAll(/[^a-z0-9-]+/gi, '-').replaceAll(/^-+|-+$/g, '');
  return plain.slice(0, MAX_NAME) || 'server';
}
