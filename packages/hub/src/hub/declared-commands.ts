/** What a gateway is told that this machine can do: switched on, there, and meant for a gateway at all. */
import type { CapabilityRegistry } from '../sources/device/registry/registry.ts';

export interface DeclaredCommands {
  readonly caps: readonly string[];
  readonly commands: readonly string[];
}

export async function declaredCommands(
  registry: Pick<CapabilityRegistry, 'list' | 'readiness'>,
): Promise<DeclaredCommands> {
  const readiness = await registry.readiness();
  const missing = new Set(
    readiness.flatMap(({ states }) =>
      states.flatMap(({ available, commands }) => (available ? [] : commands)),
    ),
  );
  const declared = registry
    .list()
    .filter(({ name, capability }) => capability.only !== 'mcp' && !missing.has(name));
  return {
    caps: [...new Set(declared.map(({ capability }) => capability.category))],
    commands: declared.map(({ name }) => name),
  };
}
