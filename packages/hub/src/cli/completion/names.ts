/** Names for a shell that completes: what the configuration and a running hub know. Connects to no server, starts nothing. */
import { appsIn, readConfigFile } from '../../config/read-file.ts';
import { outlineConfig } from '../servers/outline.ts';
import type { Context } from '../context.ts';
import { ask, findHubClient } from '../../control/client/hub-client.ts';
import { configPath } from '../../owner/state-folder.ts';
import type { NameKind } from './spec.ts';

/** A shell may run what stands in a word: whatever a server has called its tools, only harmless words pass. */
const HARMLESS = /^[\w./@:-]+$/;

/** Those that begin like the word that is being typed. */
export async function completeNames(kind: string, prefix: string, context: Context): Promise<string[]> {
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

/** First the server and a dot; then its tools as they were last heard of. */
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
