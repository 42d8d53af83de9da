import { ask, PincerError, type HubClient, type HubStatus } from 'pincer/client';
import { findServer } from '../find-server.ts';
import { refreshServers } from '../refresh-servers.ts';
import type { Answer } from '../render/answer.ts';
import { renderConnected } from '../render/connected.ts';
import { renderRefreshed } from '../render/probes.ts';
import { serverName } from '../server-name.ts';
import { startSignIn } from '../sign-in.ts';
import { settled } from '../settle.ts';
import { always, type ManageContext, type Subcommand } from '../subcommand.ts';

export const connect: Subcommand = {
  name: 'connect',
  usage: '<url> [--name <name>]',
  summary: 'add a server by its address, or bring one back by its name',
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
    if (url === undefined) return bringBack(context, status, target!);
    const known = status.servers.find((server) => server.target === url.href || server.target === target);
    if (known !== undefined && !values.has('name')) return bringBack(context, status, known.name);
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

async function bringBack(context: ManageContext, { servers }: HubStatus, target: string): Promise<Answer> {
  if (/[./]/.test(target) && servers.every(({ name }) => name !== target))
    throw new PincerError('USAGE', `"${target}" is no address of a server.`, {
      hint: 'An address begins with https://, or with http:// on this machine.',
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
      return { ...rest, lines: [`${name} is kept in the configuration of Pincer.`, ...lines] };
    }
    throw new PincerError(code, `${message} Nothing was saved.`, {
      hint: hint ?? 'Correct the address, then connect again.',
    });
  }
}

const onlyAddresses = (): PincerError =>
  new PincerError('USAGE', 'From a chat, only servers with an address are added.', {
    hint: 'A program on this machine is added at a terminal: openclaw pincer add NAME -- COMMAND ARGUMENTS',
  });
