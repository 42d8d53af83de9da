/** This machine as a source: what its capabilities can do, and what can be read of it. */
import { DEVICE_SOURCE } from '../../core/caller.ts';
import type { Offer } from '../../core/catalog/offer.ts';
import type { Client } from '../../core/client.ts';
import { PincerError } from '../../core/errors.ts';
import { notExecuted, outcomeUnknown, type Outcome } from '../../core/outcome.ts';
import type { Log } from '../../core/ports.ts';
import {
  NOTHING_RUNS,
  type Exchange,
  type Running,
  type Source,
  type SourceRequest,
} from '../../core/request.ts';
import { visible } from '../../core/visible.ts';
import { NO_SUCH_METHOD } from '../../core/wire/no-such-method.ts';
import { refused } from './calls/refusal.ts';
import { prepareCommand, runCommand, type Underway } from './calls/run-command.ts';
import { offerOf } from './offer/offer.ts';
import { patiently } from './registry/patience.ts';
import type { CapabilityRegistry } from './registry/registry.ts';
import type { ActivityLog } from './watch/activity.ts';
import { readResource } from './watch/read-resource.ts';
import { ACTIVITY_URI, CAPABILITIES_URI, DEVICE_RESOURCES, type DeviceUri } from './watch/resources.ts';
import { createWatchers } from './watch/watchers.ts';

export interface DeviceSource extends Source {
  readonly registry: CapabilityRegistry;
  readonly activity: ActivityLog;
  /** What there is now. */
  offer(): Offer;
  /** The switches may have changed. */
  configure(): void;
  stop(): Promise<void>;
}

export interface DeviceSourceParts {
  readonly registry: CapabilityRegistry;
  readonly activity: ActivityLog;
  readonly log: Log;
  /** Told when something else is offered than before. */
  onOffer(offer: Offer): void;
}

export function createDeviceSource({ registry, activity, log, onOffer }: DeviceSourceParts): DeviceSource {
  const ending = new AbortController();
  const underway = new Set<Underway>();
  const parts = { log, ending: ending.signal, underway };
  const watchers = createWatchers();
  registry.onChange(() => {
    for (const call of underway) if (registry.find(call.name) === undefined) call.withdraw();
    onOffer(offerOf(registry));
    watchers.changed(CAPABILITIES_URI);
  });
  activity.onChange(() => watchers.changed(ACTIVITY_URI));

  function read(uri: DeviceUri, exchange: Exchange): Running {
    readResource({ registry, activity }, uri).then(
      (outcome) => exchange.settle(outcome),
      (error: unknown) => exchange.settle(outcomeUnknown(PincerError.from(error))),
    );
    return NOTHING_RUNS;
  }

  function watch(request: SourceRequest, client: Client): void {
    if (request.method === 'resources/subscribe') watchers.add(request.name!, client);
    else watchers.remove(request.name!, client);
  }

  return {
    name: DEVICE_SOURCE,
    registry,
    activity,
    offer: () => offerOf(registry),
    configure: () => registry.reconsider(),
    request(request, exchange) {
      const { method, name = '', era } = request;
      if (method === 'tools/call') {
        const found = registry.find(name);
        if (found === undefined)
          return now(exchange, refused(switchedOff(name, registry.switchOf(name)), era));
        return runCommand(found, request, exchange, parts);
      }
      if (!isDeviceUri(name)) return now(exchange, notExecuted(noResource(name)));
      if (method === 'resources/read') return read(name, exchange);
      if (!SUBSCRIPTION.has(method))
        return now(exchange, { kind: 'tool_error', error: NO_SUCH_METHOD, extra: '' });
      watch(request, request.client);
      return now(exchange, { kind: 'ok', result: '{}', era: 'legacy', extra: '' });
    },
    prepare(request) {
      const found = request.method === 'tools/call' ? registry.find(request.name ?? '') : undefined;
      return found?.command.prepare && prepareCommand(found, request, parts);
    },
    watch(uri, client) {
      if (!isDeviceUri(uri)) return Promise.reject(noResource(uri));
      watchers.add(uri, client);
      return Promise.resolve();
    },
    tell: () => undefined,
    forget: (client) => watchers.forget(client),
    async stop() {
      ending.abort();
      watchers.close();
      // Whoever waits hears how it ended while there is still somebody to say it.
      const answered = patiently(
        () => Promise.all([...underway].map(({ settled }) => settled)),
        ANSWER_MS,
      ).catch(() => undefined);
      await Promise.all([registry.close(), answered]);
    },
  };
}

function now(exchange: Exchange, outcome: Outcome): Running {
  exchange.settle(outcome);
  return NOTHING_RUNS;
}

const isDeviceUri = (uri: string): uri is DeviceUri =>
  DEVICE_RESOURCES.some((resource) => resource.uri === uri);

const noResource = (uri: string): PincerError =>
  new PincerError('RESOURCE_UNKNOWN', `Resource not found: ${visible(uri)}`, {
    hint: `There are ${ACTIVITY_URI} and ${CAPABILITIES_URI}.`,
  });

/** A command that is there, or was a moment ago. */
export const switchedOff = (command: string, by: string | undefined): PincerError =>
  by === undefined
    ? new PincerError('TOOL_UNKNOWN', `Unknown tool: ${visible(command)}`)
    : new PincerError(
        'TOOL_UNKNOWN',
        `${visible(command)} is switched off on this machine. Whoever sits there can switch it on: pincer device on ${by}`,
      );

/** How long a command may take to end after it was told to. */
const ANSWER_MS = 5_000;
const SUBSCRIPTION: ReadonlySet<string> = new Set(['resources/subscribe', 'resources/unsubscribe']);
