/** Grants in memory. */
import type { Grant, GrantStore } from '../../packages/hub/src/servers/oauth/grant.ts';

export function memoryGrants(): GrantStore & { all: Map<string, Grant> } {
  const all = new Map<string, Grant>();
  const keyOf = (server: string, caller: string): string => JSON.stringify([server, caller]);
  return {
    all,
    find: async (server, caller) => all.get(keyOf(server, caller)),
    save: async (grant) => void all.set(keyOf(grant.key.server, grant.key.caller), grant),
    remove: async (server, caller) => void all.delete(keyOf(server, caller)),
    async forgetCaller(caller) {
      for (const [key, grant] of all) if (grant.key.caller === caller) all.delete(key);
    },
    list: async () => [...all.values()].map(({ key }) => ({ key })),
  };
}
