/** `pincer __complete KIND WORD`: prints names from the configuration and a running hub. Starts no hub. */
import { appsIn, readConfigFile } from '../../config/read-file.ts';
import { outlineConfig } from '../servers/outline.ts';
import type { Context } from '../context.ts';
import { ask, findHubClient } from '../../control/client/hub-client.ts';
import { configPath } from '../../owner/state-folder.ts';
import type { NameKind } from '../command.ts';
import { within } from '../../lib/time.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';

const MAX_WAIT_MS = 1_000;

/** Prints names or nothing: an error message would disturb the line that is being typed. */
export async function completeFromWords(words: readonly string[], context: Context): Promise<ExitCode> {
  const [kind = '', prefix = ''] = words;
  const names = await within(completeNames(kind, prefix, context), MAX_WAIT_MS).catch(() => undefined);
  process.stdout.write((names ?? []).map((name) => `${name}\n`).join(''));
  return EXIT.ok;
}

/** A shell may evaluate a completion, and tool names come from servers, so only harmless characters pass. */
const HARMLESS = /^[\w./@:-]+$/;

/** Names that begin with the word that is being typed. */
async function completeNames(kind: string, prefix: string, context: Context): Promise<string[]> {
  const names = Object.hasOwn(FINDERS, kind) ? await FINDERS[kind as NameKind](context, prefix) : [];
  return names.filter((name) => name.startsWith(prefix) && HARMLESS.test(name));
}

type Finder = (context: Context, prefix: string) => Promise<string[]> | string[];

const FINDERS: Readonly<Record<NameKind, Finder>> = {
  servers: (context) => serverNames(context),
  tools: toolNames,
  async secrets({ home }) {
    const { openVault } = await import('../../owner/vault.ts');
    return openVault(home, process.env)
      .list()
      .map(({ name }) => name);
  },
  async tokens(context) {
    const hub = findHubClient(context);
    if (hub === undefined) return [];
    return (await ask(hub, 'GET tokens')).map(({ name }) => name);
  },
  apps: (context) => appNames(context),
  async sessions(context) {
    const hub = findHubClient(context);
    if (hub === undefined) return [];
    const { sessions } = await ask(hub, 'GET sessions');
    return sessions.map(({ id }) => id);
  },
};

const serverNames = ({ home }: Context): string[] => outlineConfig(configPath(home)).map(({ name }) => name);

const appNames = ({ home }: Context): string[] =>
  appsIn(readConfigFile(configPath(home))).map(({ name }) => String(name));

/** Completes the server and a dot first, then its tools. */
async function toolNames(context: Context, prefix: string): Promise<string[]> {
  const dot = prefix.indexOf('.');
  if (dot === -1) {
    const { ownViews } = await import('../servers/views.ts');
    return [...serverNames(context), ...ownViews(context.home, process.env)].map((name) => `${name}.`);
  }
  const server = prefix.slice(0, dot);
  const hub = findHubClient(context);
  if (hub === undefined) return [];
  const { tools } = await ask(hub, 'GET offer', { query: { server } });
  return tools.map((tool) => `${server}.${tool}`);
}
