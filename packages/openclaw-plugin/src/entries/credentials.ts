/** Credentials of the hub that can use one server each and nothing else. All evaluations of the plugin share what they know. */
import { ask, type HubClient, type TokenReport } from 'pincer/client';
import { sharedFor } from '../shared.ts';

export interface Credentials {
  /** The token that is held, where the hub still knows it; else a new one, and the old one is void. */
  tokenFor(hub: HubClient, credential: Credential, held?: string): Promise<string>;
  /** Asks the hub for each of them again: somebody may have revoked one. */
  forget(): void;
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

/** A person may have given a token of their own such a name. */
const isOurs = ({ name, scopes }: TokenReport): boolean => OF_SERVER.test(name) && scopes.openClaw === true;

function createCredentials(): Credentials {
  /** By name. Another hub may have lost what this one knows, so it is asked anew. */
  let asked = new Map<string, Promise<string>>();
  /** Of the hub before: conversations go on with them, as long as its successor is at the same place. */
  let before: typeof asked = new Map();
  let askedOf = '';
  let askedAt = '';
  let revoking: Promise<unknown> = Promise.resolve();

  function knownTo({ hubFile }: HubClient): typeof asked {
    const hub = `${hubFile.pid} ${hubFile.processStart}`;
    if (hub === askedOf) return asked;
    before = hubFile.endpoints.mcp === askedAt ? asked : new Map();
    [asked, askedOf, askedAt] = [new Map(), hub, hubFile.endpoints.mcp];
    return asked;
  }

  async function ensure(hub: HubClient, { name, server }: Credential, held?: string): Promise<string> {
    const token = held ?? (await before.get(name)?.catch(() => undefined));
    // What is asked for now must not be what goes a moment later.
    await revoking;
    const body = { name, servers: [server], openClaw: true, token };
    return (await ask(hub, 'POST tokens/ensure', { body })).token;
  }

  return {
    tokenFor(hub, credential, held) {
      const { name } = credential;
      const known = knownTo(hub);
      const same = known.get(name);
      if (same !== undefined) return same;
      const token = ensure(hub, credential, held);
      known.set(name, token);
      token.catch(() => known.delete(name));
      return token;
    },
    forget() {
      [before, asked] = [asked, new Map()];
    },
    async sweep(hub, isNeeded) {
      const tokens = await ask(hub, 'GET tokens');
      for (const { name } of tokens.filter(isOurs)) {
        if (isNeeded(name)) continue;
        knownTo(hub).delete(name);
        revoking = ask(hub, 'DELETE tokens', { query: { name } }).catch(() => undefined);
        await revoking;
      }
    },
  };
}

/** Two that ask for the same credential each would make each other's token void. */
export const sharedCredentials = (home: string): Credentials =>
  sharedFor('credentials', home, createCredentials);
