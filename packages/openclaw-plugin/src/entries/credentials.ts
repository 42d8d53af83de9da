/** Credentials of the hub that can use one server each and nothing else. All evaluations of the plugin share what they know. */
import { ask, type HubClient } from 'pincer/client';
import { sharedFor } from '../shared.ts';

export interface Credentials {
  /** The token that is held, where the hub still knows it; else a new one, and the old one is void. */
  tokenFor(hub: HubClient, credential: Credential, held?: string): Promise<string>;
  /** Revokes those of servers that nobody needs any more. Those of senders stay: their sign-ins would go with them. */
  sweep(hub: HubClient, isNeeded: (name: string) => boolean): Promise<void>;
}

export interface Credential {
  readonly name: string;
  readonly server: string;
}

/** What the hub knows the conversations of this OpenClaw by, at a server that is the same for all of them. */
export const credentialName = (server: string): string => OPENCLAW + server;

const OPENCLAW = 'openclaw:';
/** The name of a server has no colon; what follows one is a sender. */
const OF_SERVER = /^openclaw:[^:]+$/;

function createCredentials(): Credentials {
  /** By name. Another hub may have lost what this one knows, so it is asked anew. */
  let asked = new Map<string, Promise<string>>();
  let askedOf = '';

  function knownTo({ hubFile }: HubClient): Map<string, Promise<string>> {
    const hub = `${hubFile.pid} ${hubFile.processStart}`;
    if (hub !== askedOf) asked = new Map();
    askedOf = hub;
    return asked;
  }

  return {
    tokenFor(hub, { name, server }, held) {
      const known = knownTo(hub);
      const before = known.get(name);
      if (before !== undefined) return before;
      const body = { name, servers: [server], openClaw: true, token: held };
      const token = ask<{ token: string }>(hub, 'POST tokens/ensure', { body }).then(
        (answer) => answer.token,
      );
      known.set(name, token);
      token.catch(() => known.delete(name));
      return token;
    },
    async sweep(hub, isNeeded) {
      const tokens = await ask<{ name: string }[]>(hub, 'GET tokens');
      const left = tokens.filter(({ name }) => OF_SERVER.test(name) && !isNeeded(name));
      for (const { name } of left) {
        knownTo(hub).delete(name);
        await hub.control('DELETE tokens', { query: { name } });
      }
    },
  };
}

/** Two that ask for the same credential each would make each other's token void. */
export const sharedCredentials = (home: string): Credentials =>
  sharedFor('credentials', home, createCredentials);
