/** A configured server as a source: what it says goes to the hub, as long as it is the one of that name. */
import type { Config, ServerConfig } from '../config/schema.ts';
import type { Parking } from '../core/eras/parking.ts';
import type { OfferBook } from '../core/catalog/offer-book.ts';
import type { PincerError } from '../core/errors.ts';
import type { Notices } from '../core/notices.ts';
import type { Fleet, FleetParts } from './fleet/fleet.ts';
import type { Tokens } from './oauth/grants/tokens.ts';
import { createRemoteSource, type RemoteSourceParts } from './source.ts';

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
  return (name, server, { after, firstConnectMs }) => {
    const source = createRemoteSource(name, {
      limits,
      clock,
      log,
      spawn,
      env,
      config: server,
      firstConnectMs,
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

/**
 * At most so many connection attempts begin at once; the others wait their turn. One that takes its time gives its place
 * to the next: a server that says nothing holds up nobody.
 */
export function createAdmission(
  max: number,
  holdMs: number = HOLD_MS,
): <T>(attempt: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  };
  return async (attempt) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    let hasLeft = false;
    const leaveOnce = (): void => {
      if (!hasLeft) leave();
      hasLeft = true;
    };
    const timer = setTimeout(leaveOnce, holdMs).unref();
    try {
      return await attempt();
    } finally {
      clearTimeout(timer);
      leaveOnce();
    }
  };
}

/** Most programs have said something by then. */
const HOLD_MS = 2_000;
