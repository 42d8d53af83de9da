/** What a plan has to know of this machine. */
import type { Environment } from '../../core/environment.ts';
import { serversIn } from '../../config/as-written.ts';
import { readConfigFile } from '../../config/read-file.ts';
import { configPath } from '../../owner/state-folder.ts';
import type { Vault } from '../../owner/vault.ts';
import type { Context } from '../context.ts';
import { checkServer } from './check-server.ts';
import type { NameSecret } from './keep-secrets.ts';
import { ownPorts } from '../clients/own-ports.ts';
import type { Surroundings } from './plan.ts';

export function surroundingsOf({ home, entry }: Context, env: Environment, vault: Vault): Surroundings {
  const secrets = new Set(vault.list().map(({ name }) => name));
  return {
    configured: Object.keys(serversIn(readConfigFile(configPath(home)))),
    env,
    self: { ports: ownPorts(home, env), entry },
    nameSecret: namer(vault, secrets),
    hasSecret: (name) => secrets.has(name),
    check: checkServer,
  };
}

/** A name that the vault does not have yet, or has for the same value. */
function namer(vault: Vault, inVault: ReadonlySet<string>): NameSecret {
  const given = new Map<string, string>();
  return (wanted, value) => {
    for (let count = 1; ; count++) {
      const name = count === 1 ? wanted : `${wanted.slice(0, 60)}_${count}`;
      const holds = given.get(name) ?? (inVault.has(name) ? valueOf(vault, name) : value);
      if (holds !== value) continue;
      given.set(name, value);
      return name;
    }
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
