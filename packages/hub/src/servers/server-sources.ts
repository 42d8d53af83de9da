/** Creates the source of a configured server and connects its events to the hub. */
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
  /** The fleet; a function, because it is created together with the sources. */
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
      vetsTools: () => fleet().running.get(name)?.trust !== 'always',
      admit: async (attempt) => {
        await after;
        return admit(attempt);
      },
      onOffer(offer) {
        // A replaced source may still send an offer.
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
 * Limits how many connection attempts start at once; the others queue. After `holdMs` an attempt releases its place, so
 * that a silent server does not block others.
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

/** Most programs have answered by then. */
const HOLD_MS = 2_000;
