/** One credential for each server: it can use that server and nothing else. */
import { ask, type HubClient } from 'pincer/client';

export interface Credentials {
  /** The token that the entry has, where the hub still knows it; else a new one, and the old one is void. */
  tokenFor(hub: HubClient, server: string, held: string | undefined): Promise<string>;
  /** The server has no entry any more. */
  revoke(hub: HubClient, server: string): Promise<void>;
}

const nameOf = (server: string): string => `openclaw:${server}`;

export function createCredentials(): Credentials {
  /** By server. Another hub may have lost what this one knows, so it is asked anew. */
  let asked = new Map<string, string>();
  let askedOf = '';

  function knownTo({ hubFile }: HubClient): Map<string, string> {
    const hub = `${hubFile.pid} ${hubFile.processStart}`;
    if (hub !== askedOf) asked = new Map();
    askedOf = hub;
    return asked;
  }

  return {
    async tokenFor(hub, server, held) {
      const known = knownTo(hub);
      const before = known.get(server);
      if (before !== undefined) return before;
      const body = { name: nameOf(server), servers: [server], openClaw: true, token: held };
      const { token } = await ask<{ token: string }>(hub, 'POST tokens/ensure', { body });
      known.set(server, token);
      return token;
    },
    async revoke(hub, server) {
      knownTo(hub).delete(server);
      await hub.control('DELETE tokens', { query: { name: nameOf(server) } });
    },
  };
}
