/**
 * The path of a call, assembled once for the hub, the app proxy and `pincer mcp-server`: MCP method → route → policy →
 * approval → source → outcome → record.
 */
import type { Approvals } from '../core/approvals/approvals.ts';
import { createCalls, type Calls, type CallsParts } from '../core/call/calls.ts';
import { createTaskBook, type TaskBook } from '../core/call/task-ids.ts';
import type { CatalogReader, View } from '../core/catalog/catalog.ts';
import type { ListKind } from '../core/catalog/offer.ts';
import { createParking, type Parking } from '../core/eras/parking.ts';
import { createRequestStates } from '../core/eras/request-state.ts';
import type { Limits } from '../core/limits.ts';
import type { Notices } from '../core/notices.ts';
import type { Policy } from '../core/policy.ts';
import type { Clock, Observer, Sealer } from '../core/ports.ts';
import type { Source } from '../core/request.ts';
import { sha256 } from '../lib/digest.ts';
import { createDispatch, type Dispatch } from './dispatch.ts';
import { createHandshake } from './handshake.ts';
import type { OnClient } from './legacy-client.ts';
import { createListen } from './listen.ts';
import { createLists } from './lists.ts';
import { createMetaTools } from './meta-tools.ts';
import { createToolSurface, type ToolSurfaceSettings } from './tool-surface.ts';

export interface PipelineParts {
  readonly catalog: CatalogReader;
  readonly notices: Notices;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly observers: readonly Observer[];
  policy(): Policy;
  /** If absent, no person can be asked and `ask` means `deny`. */
  readonly approvals?: Approvals | undefined;
  source(name: string): Source | undefined;
  sources(): Iterable<Source>;
  /** Whether a source is not connected, so that its listed tools come from the stored catalog. Default: false. */
  isStale?(name: string): boolean;
  /** Absent if every source of a view is known from the start. */
  whenKnown?(view: View): Promise<void> | undefined;
  readonly withdrawn?: CallsParts['withdrawn'];
  /** Default: every tool is listed. */
  toolSurface?(): ToolSurfaceSettings['toolSurface'];
  /** Default: for this pipeline only. */
  readonly tasks?: TaskBook;
  readonly parking?: Parking;
}

export interface Pipeline {
  readonly calls: Calls;
  readonly dispatch: Dispatch;
  readonly onClient: OnClient;
  /** Ends the streams of all clients that listen. */
  stop(): void;
}

const ALL_LISTS: ReadonlySet<ListKind> = new Set(['tools', 'prompts', 'resources']);

export function createPipeline(parts: PipelineParts): Pipeline {
  const { catalog, notices, limits, clock, sealer } = parts;
  const { questionTimeoutMs, toolSurfaceTokens } = limits;
  const policy = (): Policy => parts.policy();
  const source = (name: string): Source | undefined => parts.source(name);
  const whenKnown = (view: View): Promise<void> | undefined => parts.whenKnown?.(view);
  const calls = createCalls({
    catalog,
    policy,
    approvals: parts.approvals,
    source,
    observers: parts.observers,
    whenKnown,
    ...(parts.withdrawn && { withdrawn: parts.withdrawn }),
    clock,
    tasks: parts.tasks ?? createTaskBook(),
    parking: parts.parking ?? createParking(limits),
    states: createRequestStates({ sealer, digest: sha256, clock, ttlMs: questionTimeoutMs }),
    questionTimeoutMs,
  });
  const surface = createToolSurface(catalog, () => ({
    toolSurface: parts.toolSurface?.() ?? 'full',
    toolSurfaceTokens,
  }));
  const listen = createListen({ catalog, notices, policy, source });
  const dispatch = createDispatch({
    calls,
    catalog,
    lists: createLists({ catalog, surface, limits, isStale: (name) => parts.isStale?.(name) ?? false }),
    metaTools: createMetaTools(catalog, surface),
    handshake: createHandshake(catalog, surface),
    listen,
    whenKnown,
    tellServers(client, method, params) {
      for (const each of parts.sources()) each.tell(client, method, params);
    },
    forgetClient(client) {
      for (const each of parts.sources()) each.forget(client);
    },
  });
  return {
    calls,
    dispatch,
    onClient: (client, caller, view) => notices.add(client, ALL_LISTS, { caller, view }),
    stop: () => listen.endAll(),
  };
}
