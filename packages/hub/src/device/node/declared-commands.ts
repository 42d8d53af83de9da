/** What a gateway is told that this machine can do: switched on, there, and meant for a gateway at all. */
import type { CapabilityRegistry } from '../registry/registry.ts';
import type { Declared } from './parts.ts';

export async function declaredCommands(
  registry: Pick<CapabilityRegistry, 'list' | 'readiness'>,
): Promise<Declared> {
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
