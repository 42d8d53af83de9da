/** What an import plan needs to know about this machine. */
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

/**
 * Chooses names of secrets. `nameSecret` returns an unused name, or the name under which the vault has the same value;
 * `freshSecret` always returns an unused name.
 */
function namers(
  vault: Vault,
  referred: ReadonlySet<string>,
): { nameSecret: NameSecret; freshSecret: FreshSecret } {
  const inVault = new Set(vault.list().map(({ name }) => name));
  const given = new Map<string, string | undefined>();
  function findName(wanted: string, isFree: (name: string) => boolean, value?: string): string {
    for (let count = 1; ; count++) {
      const name = count === 1 ? wanted : `${wanted.slice(0, 60)}_${count}`;
      if (!isFree(name)) continue;
      given.set(name, value);
      return name;
    }
  }
  const currentValue = (name: string): string | undefined =>
    given.has(name) ? given.get(name) : valueOf(vault, name);
  const isTaken = (name: string): boolean => given.has(name) || inVault.has(name);
  return {
    nameSecret: (wanted, value) =>
      findName(wanted, (name) => !isTaken(name) || currentValue(name) === value, value),
    freshSecret: (wanted) => findName(wanted, (name) => !isTaken(name) && !referred.has(name)),
  };
}

/** Returns undefined if the secret cannot be decrypted, so that it is not reused. */
function valueOf(vault: Vault, name: string): string | undefined {
  try {
    return vault.get(name);
  } catch {
    return undefined;
  }
}

/** Returns why the configuration would refuse this server. Assumes that all references resolve. */
export function checkServer(name: string, draft: ServerDraft): string | undefined {
  const uses = referencesIn(draft);
  const env = Object.fromEntries(uses.map((use) => [use.name, 'x']));
  // A URL with a variable can be checked only when the hub starts and knows its value.
  const isUrlOpen = uses.some(({ kind, path }) => kind === 'variable' && path === 'url');
  const judged = isUrlOpen ? { ...draft, url: 'https://example.com/mcp' } : draft;
  const { issues } = checkConfig({ servers: { [name]: judged } }, { env, secret: () => 'x' });
  if (issues.length === 0) return undefined;
  return `${issues.map(({ message }) => message.replace(`servers.${name}.`, '')).join('; ')}.`;
}
