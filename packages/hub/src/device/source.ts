/** This machine as a source of the hub: its commands as tools, and its resources. */
import { DEVICE_SOURCE } from '../core/caller.ts';
import { type Offer, readRawOffer } from '../core/catalog/offer.ts';
import type { Client } from '../core/client.ts';
import { PincerError } from '../core/errors.ts';
import { notExecuted, outcomeUnknown, type Outcome } from '../core/outcome.ts';
import type { Log } from '../core/ports.ts';
import {
  NOTHING_RUNS,
  type Exchange,
  type Running,
  type Source,
  type SourceRequest,
} from '../core/request.ts';
import { visible } from '../core/visible.ts';
import { NO_SUCH_METHOD } from '../core/wire/message.ts';
import { refused } from './calls/answer.ts';
import { prepareCommand, runCommand, type Underway } from './calls/run-command.ts';
import { within } from '../lib/time.ts';
import type { MissingBackend } from './registry/capability.ts';
import type { CapabilityRegistry } from './registry/registry.ts';
import {
  ACTIVITY_URI,
  CAPABILITIES_URI,
  createWatchers,
  DEVICE_RESOURCES,
  isDeviceUri,
  noResource,
  readResource,
  type ActivityLog,
  type DeviceUri,
} from './resources.ts';
import { jsonBytes } from '../core/wire/byte-text.ts';
import { toolOf } from './registry/tool.ts';

export interface DeviceSource extends Source {
  readonly registry: CapabilityRegistry;
  readonly activity: ActivityLog;
  /** The current offer. */
  offer(): Offer;
  /** Applies changed switches. The first call starts the periodic check of readiness. */
  configure(): void;
  /** Resolves after the first check of readiness. Undefined after that. */
  whenLooked(): Promise<void> | undefined;
  stop(): Promise<void>;
}

export interface DeviceSourceParts {
  readonly registry: CapabilityRegistry;
  readonly activity: ActivityLog;
  readonly log: Log;
  /** Interval of the readiness check: a person may install a program at any time. */
  readonly lookEveryMs: number;
  /** Called when the offer changes. */
  onOffer(offer: Offer): void;
}

export function createDeviceSource(sourceParts: DeviceSourceParts): DeviceSource {
  const { registry, activity, log, lookEveryMs, onOffer } = sourceParts;
  const ending = new AbortController();
  const underway = new Set<Underway>();
  const parts = { log, ending: ending.signal, underway };
  const watchers = createWatchers();
  let firstCheck: Promise<void> | undefined;
  let isChecked = false;
  let checking: NodeJS.Timeout | undefined;
  let seen = registry.capabilities;

  async function check(): Promise<void> {
    await registry.readiness();
    isChecked = true;
  }

  registry.onChange(() => {
    const isMore = registry.capabilities.some((each) => each.readiness !== undefined && !seen.includes(each));
    seen = registry.capabilities;
    if (isMore && checking !== undefined) void check();
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
    configure() {
      registry.reconsider();
      const checked = check();
      firstCheck ??= checked;
      checking ??= setInterval(() => void check(), lookEveryMs).unref();
    },
    whenLooked: () => (isChecked ? undefined : firstCheck),
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
      clearInterval(checking);
      ending.abort();
      watchers.close();
      // Callers get their outcome before the hub stops.
      const answered = within(Promise.all([...underway].map(({ settled }) => settled)), ANSWER_MS).catch(
        () => undefined,
      );
      await Promise.all([registry.close(), answered]);
    },
  };
}

function now(exchange: Exchange, outcome: Outcome): Running {
  exchange.settle(outcome);
  return NOTHING_RUNS;
}

/** The error for a command that is switched off. `by`: its switch. Without a switch the command is unknown. */
export const switchedOff = (command: string, by: string | undefined): PincerError =>
  by === undefined
    ? new PincerError('TOOL_UNKNOWN', `Unknown tool: ${visible(command)}`)
    : new PincerError(
        'TOOL_UNKNOWN',
        `${visible(command)} is switched off on this machine. The person at this machine can switch it on: pincer device on ${by}`,
      );

/** The error for a command that is switched on and has no backend here. */
export const cannotWork = (command: string, { reason, hint }: MissingBackend): PincerError =>
  new PincerError('TOOL_UNKNOWN', `${visible(command)} cannot work on this machine: ${reason}. ${hint}`);

/** How long a command may take to end after its signal was aborted. */
const ANSWER_MS = 5_000;
const SUBSCRIPTION: ReadonlySet<string> = new Set(['resources/subscribe', 'resources/unsubscribe']);

/** The offer of this machine: its commands and resources. */
const offerOf = (registry: Pick<CapabilityRegistry, 'list'>): Offer =>
  readRawOffer({
    about: jsonBytes({
      era: 'legacy',
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
      serverInfo: { name: 'pincer-device', title: 'This machine' },
      instructions:
        'Tools of the machine that Pincer runs on. Commands that are switched off or cannot work here are not listed. The resource device://capabilities lists all capabilities, and why some do not work.',
    }),
    tools: registry.list().map((each) => jsonBytes(toolOf(each))),
    prompts: [],
    resources: DEVICE_RESOURCES.map((resource) => jsonBytes(resource)),
    templates: [],
  });
