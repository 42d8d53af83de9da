/** All offers in one registry, with a version that grows on every change and names that never clash. */
import type { ScopedTool } from '../caller.ts';
import { exposeAll, type CatalogServer, type Digest, type ExposedEntry } from './exposed-names.ts';
import { EMPTY_OFFER, isSameList, type ListKind, type Offer } from './offer.ts';
import {
  createResourceIndex,
  type Allows,
  type CatalogResource,
  type CatalogTemplate,
  type Clash,
} from './resource-index.ts';
import type { ServerAbout } from './server-about.ts';
import type { ToolDefinition } from './tool-definition.ts';

export type { CatalogServer } from './exposed-names.ts';
export type { CatalogResource, CatalogTemplate } from './resource-index.ts';

export type CatalogTool = ExposedEntry<ToolDefinition> & ScopedTool;
export type CatalogPrompt = ExposedEntry;

/** A subject that the surface has resolved, such as an app's session. Only its own catalog and source read it. */
export interface ViewSubject {
  readonly id: string;
}

/** Everything (`undefined`), one server under its own names, or a subject resolved where the request came in. */
export type View = string | ViewSubject | undefined;

/** The server's name, or the subject's id. */
export function viewName(view: string | ViewSubject): string;
export function viewName(view: View): string | undefined;
export function viewName(view: View): string | undefined {
  return typeof view === 'object' ? view.id : view;
}

/** Read access to a catalog. */
export interface CatalogReader {
  /** Names of the servers in a view, in configuration order. */
  servers(view: View): readonly string[];
  /** What a server says about itself; undefined if it has never connected. */
  about(server: string): ServerAbout | undefined;
  list(view: View): readonly CatalogTool[];
  resolve(view: View, name: string): CatalogTool | undefined;
  /** A withheld tool that would have this name if it were listed. */
  withheld(view: View, name: string): CatalogTool | undefined;
  prompts(view: View): readonly CatalogPrompt[];
  prompt(view: View, name: string): CatalogPrompt | undefined;
  /** If several servers list a URI, returns the first server's entry. */
  resources(view: View, allows?: Allows): readonly CatalogResource[];
  templates(view: View, allows?: Allows): readonly CatalogTemplate[];
  /** The server that answers for a URI or a URI template. */
  ownerOf(view: View, uri: string, allows?: Allows): string | undefined;
  /** Called after each change, with the kinds of lists that changed. */
  onChange(listener: (changed: ReadonlySet<ListKind>) => void): () => void;
}

export interface Catalog extends CatalogReader {
  readonly version: number;
  has(server: string): boolean;
  /** Sets the servers in configuration order. Offers of servers that are no longer named are dropped. */
  configure(servers: readonly CatalogServer[]): void;
  /** Drops the server's offer. */
  forget(server: string): void;
  /** Stores a server's offer. Returns true if anything changed. */
  put(server: string, offer: Offer): boolean;
  /** Whether the server's offer is known, from now or from an earlier run. */
  isKnown(server: string): boolean;
  /** URIs that several servers list, to show to people. */
  clashes(): readonly Clash[];
}

const ALL_KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources'];
const anyServer: Allows = () => true;

/** `digest` returns at least 32 hexadecimal characters that depend on the whole text. */
export function createCatalog(digest: Digest): Catalog {
  let servers: readonly CatalogServer[] = [];
  let configured: ReadonlySet<string> = new Set();
  const offers = new Map<string, Offer>();
  const listeners = new Set<(changed: ReadonlySet<ListKind>) => void>();
  let version = 0;
  const tools = createNameIndex<CatalogTool>();
  const prompts = createNameIndex<CatalogPrompt>();
  const resources = createResourceIndex();
  const withheld = createNameIndex<CatalogTool>();
  const offerOf = (server: string): Offer => offers.get(server) ?? EMPTY_OFFER;
  const withheldOf = (server: string): readonly ToolDefinition[] => offerOf(server).withheld ?? [];
  /** Lists to rebuild on the next read: fifty servers that start together cost one rebuild, not fifty. */
  const stale = new Set<ListKind>();

  const rebuild: Readonly<Record<ListKind, () => boolean>> = {
    tools() {
      const hidden = new Set(servers.flatMap(({ name }) => withheldOf(name)));
      const entries = exposeAll(
        servers,
        (server) => [...offerOf(server).tools, ...withheldOf(server)],
        digest,
      );
      const exposed = entries.map((entry) => ({ ...entry, readOnly: entry.definition.readOnly }));
      withheld.replace(exposed.filter(({ definition }) => hidden.has(definition)));
      return tools.replace(exposed.filter(({ definition }) => !hidden.has(definition)));
    },
    prompts: () => prompts.replace(exposeAll(servers, (server) => offerOf(server).prompts, digest)),
    resources: () => resources.replace(servers.map(({ name }) => [name, offerOf(name)])),
  };

  function renewed<T>(kind: ListKind, index: T): T {
    if (stale.delete(kind)) rebuild[kind]();
    return index;
  }

  function tell(changed: readonly ListKind[]): void {
    version++;
    if (changed.length > 0) for (const listener of listeners) listener(new Set(changed));
  }

  /** A name may move from one tool to another here, so only a rebuild shows which lists changed. */
  function changeAll(apply: () => void): void {
    for (const kind of stale) rebuild[kind]();
    stale.clear();
    apply();
    tell(ALL_KINDS.filter((kind) => rebuild[kind]()));
  }

  return {
    get version() {
      return version;
    },
    configure(next) {
      if (sameServers(servers, next)) return;
      changeAll(() => {
        servers = next;
        configured = new Set(next.map((server) => server.name));
        for (const name of offers.keys()) if (!configured.has(name)) offers.delete(name);
      });
    },
    forget(server) {
      if (offers.has(server)) changeAll(() => offers.delete(server));
    },
    put(server, offer) {
      const known = offers.get(server);
      const before = known ?? EMPTY_OFFER;
      const changed = ALL_KINDS.filter((kind) => isListChanged[kind](before, offer));
      const isOther = before.about.raw !== offer.about.raw;
      const isWithheldSame = isSameList(before.withheld ?? [], offer.withheld ?? []);
      if (known !== undefined && changed.length === 0 && !isOther && isWithheldSame) return false;
      if (isWithheldSame) {
        offers.set(server, offer);
        for (const kind of changed) stale.add(kind);
        // The owner of a URI also depends on the capabilities.
        if (isOther) stale.add('resources');
        tell(configured.has(server) ? changed : []);
      } else changeAll(() => offers.set(server, offer));
      return true;
    },
    has: (server) => configured.has(server),
    isKnown: (server) => offers.has(server),
    servers: (view) => servers.map(({ name }) => name).filter((name) => (viewName(view) ?? name) === name),
    about: (server) => offers.get(server)?.about,
    list: (view) => renewed('tools', tools).list(viewName(view)),
    resolve: (view, name) => renewed('tools', tools).resolve(viewName(view), name),
    withheld: (view, name) => renewed('tools', withheld).resolve(viewName(view), name),
    prompts: (view) => renewed('prompts', prompts).list(viewName(view)),
    prompt: (view, name) => renewed('prompts', prompts).resolve(viewName(view), name),
    resources: (view, allows = anyServer) =>
      renewed('resources', resources).resources(viewName(view), allows),
    templates: (view, allows = anyServer) =>
      renewed('resources', resources).templates(viewName(view), allows),
    ownerOf(view, uri, allows = anyServer) {
      const server = viewName(view);
      if (server === undefined) return renewed('resources', resources).ownerOf(uri, allows);
      return configured.has(server) && allows(server) ? server : undefined;
    },
    clashes: () => renewed('resources', resources).clashes(),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const sameServers = (a: readonly CatalogServer[], b: readonly CatalogServer[]): boolean =>
  a.length === b.length &&
  a.every(({ name, prefix }, index) => name === b[index]!.name && prefix === b[index]!.prefix);

const isListChanged: Readonly<Record<ListKind, (a: Offer, b: Offer) => boolean>> = {
  tools: (a, b) => !isSameList(a.tools, b.tools),
  prompts: (a, b) => !isSameList(a.prompts, b.prompts),
  resources: (a, b) => !isSameList(a.resources, b.resources) || !isSameList(a.templates, b.templates),
};

/** Tools or prompts by name: across all servers by exposed name, within one server by its own name. */
interface NameIndex<E extends ExposedEntry> {
  /** Returns true if the list changed. */
  replace(entries: readonly E[]): boolean;
  list(server: string | undefined): readonly E[];
  resolve(server: string | undefined, name: string): E | undefined;
}

const NO_ENTRIES: readonly never[] = [];

function createNameIndex<E extends ExposedEntry>(): NameIndex<E> {
  let all: readonly E[] = [];
  let byExposed = new Map<string, E>();
  let byServer = new Map<string, Map<string, E>>();
  let lists = new Map<string, readonly E[]>();
  return {
    replace(entries) {
      const isNew = !isSame(all, entries);
      all = entries;
      byExposed = new Map(entries.map((entry) => [entry.exposed, entry]));
      lists = Map.groupBy(entries, ({ server }) => server);
      byServer = new Map(
        [...lists].map(([server, own]) => [server, new Map(own.map((entry) => [entry.name, entry]))]),
      );
      return isNew;
    },
    list: (server) => (server === undefined ? all : (lists.get(server) ?? NO_ENTRIES)),
    resolve: (server, name) => (server === undefined ? byExposed.get(name) : byServer.get(server)?.get(name)),
  };
}

const isSame = (a: readonly ExposedEntry[], b: readonly ExposedEntry[]): boolean =>
  a.length === b.length &&
  a.every((one, index) => {
    const other = b[index]!;
    return (
      one.exposed === other.exposed &&
      one.server === other.server &&
      one.definition.raw === other.definition.raw
    );
  });
