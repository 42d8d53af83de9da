/** What a plan has to know of this machine. */
import type { Environment } from '../../lib/process.ts';
import { readConfigFile, serversIn } from '../../config/read-file.ts';
import { referencesIn } from '../../config/references.ts';
import { configPath } from '../../owner/state-folder.ts';
import type { Vault } from '../../owner/vault.ts';
import type { Context } from '../context.ts';
import type { FreshSecret, Surroundings } from './plan.ts';
import type { NameSecret } from './keep-secrets.ts';
import { ownPorts } from '../clients/here.ts';
import { checkConfig } from '../../config/check.ts';
import type { ServerDraft } from '../../config/import/types.ts';

export function surroundingsOf(
  { home, entry }: Context,
  env: Environment,
  vault: Vault,
  isEnabled: (name: string) => boolean = () => false,
): Surroundings {
  const config = readConfigFile(configPath(home));
  const referred = referencesIn(config).filter(({ kind }) => kind === 'secret');
  return {
    configured: Object.keys(serversIn(config)),
    env,
    self: { ports: ownPorts(home, env), entry },
    ...namers(vault, new Set(referred.map(({ name }) => name))),
    isEnabled,
    check: checkServer,
  };
}

/** Names of secrets: for a value, one that the vault has not, or has for the same; for what is still to come, a new one. */
function namers(
  vault: Vault,
  referred: ReadonlySet<string>,
): { nameSecret: NameSecret; freshSecret: FreshSecret } {
  const inVault = new Set(vault.list().map(({ name }) => name));
  const given = new Map<string, string | undefined>();
  function first(wanted: string, isFree: (name: string) => boolean, value?: string): string {
    for (let count = 1; ; count++) {
      const name = count === 1 ? wanted : `${wanted.slice(0, 60)}_${count}`;
      if (!isFree(name)) continue;
      given.set(name, value);
      return name;
    }
  }
  const holds = (name: string): string | undefined =>
    given.has(name) ? given.get(name) : valueOf(vault, name);
  const isTaken = (name: string): boolean => given.has(name) || inVault.has(name);
  return {
    nameSecret: (wanted, value) => first(wanted, (name) => !isTaken(name) || holds(name) === value, value),
    freshSecret: (wanted) => first(wanted, (name) => !isTaken(name) && !referred.has(name)),
  };
}

/** Undefined for one that cannot be opened: it is left alone. */
function valueOf(vault: Vault, name: string): string | undefined {
  try {
    return vault.get(name);
  } catch {
    return undefined;
  }
}

/** Why the configuration would refuse this server. What it refers to is taken for given. */
export function checkServer(name: string, draft: ServerDraft): string | undefined {
  const uses = referencesIn(draft);
  const env = Object.fromEntries(uses.map((use) => [use.name, 'x']));
  // A URL out of a variable can be judged when the variable is known, which is when the hub starts.
  const isUrlOpen = uses.some(({ kind, path }) => kind === 'variable' && path === 'url');
  const judged = isUrlOpen ? { ...draft, url: 'https://example.com/mcp' } : draft;
  const { issues } = checkConfig({ servers: { [name]: judged } }, { env, secret: () => 'x' });
  if (issues.length === 0) return undefined;
  return `${issues.map(({ message }) => message.replace(`servers.${name}.`, '')).join('; ')}.`;
}
