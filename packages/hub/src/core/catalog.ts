/** What the sources offer now: one registry, a version that grows on every change, and names that never clash. */
import { hashedName, naturalName } from './tool-name.ts';
import type { ScopedTool } from './caller.ts';
import type { ByteText } from './wire/byte-text.ts';

/** A tool as its server defines it. */
export interface ToolDefinition {
  readonly name: string;
  /** The whole definition as the bytes that came. */
  readonly raw: ByteText;
  readonly readOnly: boolean;
}

export interface CatalogTool extends ScopedTool {
  /** Its name where all servers are shown together. */
  readonly exposed: string;
  readonly definition: ToolDefinition;
}

export interface CatalogServer {
  readonly name: string;
  readonly prefix: string;
}

/** Everything (`undefined`), or one server under its bare tool names. */
export type View = string | undefined;

export interface Catalog {
  readonly version: number;
  /** The servers in the order of their configuration; tools of a server that is no longer named are dropped. */
  configure(servers: readonly CatalogServer[]): void;
  /** What a server offers now; true when that is something new. */
  put(server: string, tools: readonly ToolDefinition[]): boolean;
  has(server: string): boolean;
  /** Whether the server has been heard, now or in an earlier life. */
  isKnown(server: string): boolean;
  list(view: View): readonly CatalogTool[];
  resolve(view: View, name: string): CatalogTool | undefined;
  onChange(listener: (version: number) => void): () => void;
}

/** `digest` gives at least 32 hexadecimal characters that depend on the whole text. */
export function createCatalog(digest: (text: string) => string): Catalog {
  let servers: readonly CatalogServer[] = [];
  const offered = new Map<string, readonly ToolDefinition[]>();
  const listeners = new Set<(version: number) => void>();
  let version = 0;
  let all: readonly CatalogTool[] = [];
  let byExposed = new Map<string, CatalogTool>();
  let byServer = new Map<string, Map<string, CatalogTool>>();

  function rebuild(): void {
    all = assignNames(servers, offered, digest);
    byExposed = new Map(all.map((tool) => [tool.exposed, tool]));
    byServer = new Map(servers.map((server) => [server.name, new Map<string, CatalogTool>()]));
    for (const tool of all) byServer.get(tool.server)?.set(tool.name, tool);
    version++;
    for (const listener of listeners) listener(version);
  }

  return {
    get version() {
      return version;
    },
    configure(next) {
      if (sameServers(servers, next)) return;
      servers = next;
      const names = new Set(next.map((server) => server.name));
      for (const name of offered.keys()) if (!names.has(name)) offered.delete(name);
      rebuild();
    },
    put(server, tools) {
      if (sameTools(offered.get(server), tools)) return false;
      offered.set(server, tools);
      rebuild();
      return true;
    },
    has: (server) => byServer.has(server),
    isKnown: (server) => offered.has(server),
    list: (view) => (view === undefined ? all : [...(byServer.get(view)?.values() ?? [])]),
    resolve: (view, name) => (view === undefined ? byExposed.get(name) : byServer.get(view)?.get(name)),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const sameServers = (a: readonly CatalogServer[], b: readonly CatalogServer[]): boolean =>
  a.length === b.length &&
  a.every(({ name, prefix }, index) => name === b[index]!.name && prefix === b[index]!.prefix);

function sameTools(a: readonly ToolDefinition[] | undefined, b: readonly ToolDefinition[]): boolean {
  return a !== undefined && a.length === b.length && a.every((tool, index) => tool.raw === b[index]!.raw);
}

/** Natural names first, so that a shortened name never takes one away; then the rest, in a stable order. */
function assignNames(
  servers: readonly CatalogServer[],
  offered: ReadonlyMap<string, readonly ToolDefinition[]>,
  digest: (text: string) => string,
): CatalogTool[] {
  const taken = new Set<string>();
  const exposed = new Map<ToolDefinition, string>();
  const tools = servers.flatMap(({ name, prefix }) =>
    uniqueByName(offered.get(name) ?? []).map((definition) => ({ server: name, prefix, definition })),
  );
  /** Without a prefix of its own, a server must not take a name that belongs under another's. */
  const isForeign = (name: string): boolean =>
    servers.some(({ prefix }) => prefix !== '' && name.startsWith(`${prefix}__`));
  for (const { prefix, definition } of tools) {
    const name = naturalName(prefix, definition.name);
    if (name === undefined || taken.has(name) || (prefix === '' && isForeign(name))) continue;
    taken.add(name);
    exposed.set(definition, name);
  }
  for (const { server, prefix, definition } of tools) {
    if (exposed.has(definition)) continue;
    const hash = digest(`${server}\0${definition.name}`);
    let name = hashedName(prefix, definition.name, hash.slice(0, 8));
    for (let length = 12; taken.has(name) && length <= 32; length += 4)
      name = hashedName(prefix, definition.name, hash.slice(0, length));
    taken.add(name);
    exposed.set(definition, name);
  }
  return tools.map(({ server, definition }) => ({
    server,
    name: definition.name,
    readOnly: definition.readOnly,
    exposed: exposed.get(definition)!,
    definition,
  }));
}

/** A server that lists one name twice: the first counts. */
function uniqueByName(tools: readonly ToolDefinition[]): ToolDefinition[] {
  const seen = new Set<string>();
  return tools.filter(({ name }) => !seen.has(name) && seen.add(name));
}
