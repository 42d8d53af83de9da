/** A configured server as a source: what it says goes to the hub, as long as it is the one of that name. */
import type { Config, ServerConfig } from '../config/schema.ts';
import type { Parking } from '../core/bridge/parking.ts';
import type { OfferBook } from '../core/catalog/offer-book.ts';
import type { PincerError } from '../core/errors.ts';
import type { Notices } from '../core/notices.ts';
import type { Fleet, FleetParts } from '../sources/remote/fleet/fleet.ts';
import { createAdmission } from '../sources/remote/life/admission.ts';
import type { Tokens } from '../sources/remote/oauth/grants/tokens.ts';
import { createRemoteSource, type RemoteSourceParts } from '../sources/remote/source.ts';

type Shared = Pick<RemoteSourceParts, 'limits' | 'clock' | 'log' | 'spawn' | 'env'>;

export interface ServerSourcesParts extends Shared {
  readonly config: Pick<Config, 'toolDiscoveryInterval' | 'maxConcurrentServers'>;
  readonly tokens: Tokens | undefined;
  /** Where they run: it is made with them. */
  fleet(): Pick<Fleet, 'running' | 'source'>;
  readonly offers: Pick<OfferBook, 'offered'>;
  readonly parking: Pick<Parking, 'expireOldest'>;
  readonly notices: Pick<Notices, 'changed'>;
  onSignInNeeded(server: string, reason: PincerError): void;
}

export function createServerSources(parts: ServerSourcesParts): FleetParts['createSource'] {
  const { limits, clock, log, spawn, env, config, tokens, fleet, offers, parking, notices } = parts;
  const admit = createAdmission(config.maxConcurrentServers);
  return (name, server, after) => {
    const source = createRemoteSource(name, {
      limits,
      clock,
      log,
      spawn,
      env,
      config: server,
      discoveryMs: config.toolDiscoveryInterval,
      tokens: tokensOf(tokens, name, server),
      isLazy: () => fleet().running.get(name)?.start === 'lazy',
      isWatchful: () => fleet().running.get(name)?.trust !== 'always',
      admit: async (attempt) => {
        await after;
        return admit(attempt);
      },
      onOffer(offer) {
        // One that has been replaced may still say something.
        if (fleet().source(name) === source) offers.offered(name, offer);
      },
      makeRoom: (caller) => parking.expireOldest(caller, name),
      onSignInNeeded: (reason) => parts.onSignInNeeded(name, reason),
      onListChanged: (kind) => notices.changed([kind]),
    });
    return source;
  };
}

const tokensOf = (
  tokens: Tokens | undefined,
  name: string,
  { url, auth }: ServerConfig,
): RemoteSourceParts['tokens'] => (url === undefined ? undefined : tokens?.ofServer({ name, url, auth }));
