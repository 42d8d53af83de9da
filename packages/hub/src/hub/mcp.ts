/** What MCP clients meet in a hub, whatever wire they come over. */
import type { Calls } from '../core/call/calls.ts';
import type { CatalogReader, View } from '../core/catalog/catalog.ts';
import type { ListKind } from '../core/catalog/offer.ts';
import type { Limits } from '../core/limits.ts';
import type { Notices } from '../core/notices.ts';
import type { Policy } from '../core/policy.ts';
import type { Source } from '../core/request.ts';
import { createDispatch, type Dispatch } from '../surfaces/mcp/dispatch.ts';
import { createHandshake } from '../surfaces/mcp/handshake.ts';
import type { OnClient } from '../surfaces/mcp/legacy-client.ts';
import { createListen } from '../surfaces/mcp/listen.ts';
import { createLists } from '../surfaces/mcp/lists.ts';
import { createMetaTools } from '../surfaces/mcp/meta-tools.ts';
import { createToolSurface, type ToolSurfaceSettings } from '../surfaces/mcp/tool-surface.ts';

export interface HubMcpParts {
  readonly catalog: CatalogReader;
  readonly calls: Calls;
  source(name: string): Source | undefined;
  sources(): Iterable<Source>;
  /** Whether a source is not connected, so that what is listed of it is what it had. */
  isStale(name: string): boolean;
  readonly notices: Notices;
  readonly limits: Limits;
  policy(): Policy;
  toolSurface(): ToolSurfaceSettings['toolSurface'];
  whenKnown(view: View): Promise<void> | undefined;
}

export interface HubMcp {
  readonly dispatch: Dispatch;
  readonly onClient: OnClient;
  /** Says goodbye to all who listen. */
  stop(): void;
}

const ALL_LISTS: ReadonlySet<ListKind> = new Set(['tools', 'prompts', 'resources']);

export function createHubMcp(parts: HubMcpParts): HubMcp {
  const { catalog, calls, notices, limits, policy, whenKnown } = parts;
  const surface = createToolSurface(catalog, () => ({
    toolSurface: parts.toolSurface(),
    toolSurfaceTokens: limits.toolSurfaceTokens,
  }));
  const listen = createListen({ catalog, notices, policy, source: (server) => parts.source(server) });
  return {
    dispatch: createDispatch({
      calls,
      catalog,
      lists: createLists({
        catalog,
        surface,
        limits,
        isStale: (server) => parts.isStale(server),
      }),
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
    }),
    onClient: (client, caller, view) => notices.add(client, ALL_LISTS, { caller, view }),
    stop: () => listen.endAll(),
  };
}
