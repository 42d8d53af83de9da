/** Credentials of the hub, each for one server only. All evaluations of the plugin share them. */
import { ask, type HubClient, type TokenReport } from 'pincer/client';
import { sharedFor } from '../shared.ts';

export interface Credentials {
  /** Returns the held token if the hub still knows it; else a new one, which voids the old one. */
  tokenFor(hub: HubClient, credential: Credential, held?: string): Promise<string>;
  /** Asks the hub for all of them again, because one may have been revoked. */
  forget(): void;
  /** Revokes credentials of servers that are no longer needed. Those of senders stay, because revoking them ends their sign-ins. */
  sweep(hub: HubClient, isNeeded: (name: string) => boolean): Promise<void>;
}

export interface Credential {
  readonly name: string;
  readonly server: string;
}

/** The credential of this OpenClaw at a server that all conversations share. */
export const credentialName = (server: string): string => OPENCLAW + server;

const OPENCLAW = 'openclaw:';
/** Server names have no colon. A second colon begins the sender. */
const OF_SERVER = /^openclaw:[^:]+$/;

/** A person may have given such a name to their own token. */
const isOurs = ({ name, scopes }: TokenReport): boolean => OF_SERVER.test(name) && scopes.openClaw === true;

function createCredentials(): Credentials {
  /** By name, for one hub process. Another process may have lost tokens, so it is asked again. */
  let asked = new Map<string, Promise<string>>();
  /** Tokens of the previous hub process. Conversations keep using them if the next hub has the same URL. */
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
    // A token that is about to be revoked must not be returned.
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

/** Shared, because two instances would void each other's tokens. */
export const sharedCredentials = (home: string): Credentials =>
  sharedFor('credentials', home, createCredentials);
