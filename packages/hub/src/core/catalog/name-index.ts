import type { ExposedEntry } from './exposed-names.ts';

/** Tools or prompts by name: of all servers by the exposed one, of one server by its own. */
export interface NameIndex<E extends ExposedEntry> {
  /** True when a list is now another one. */
  replace(entries: readonly E[]): boolean;
  list(server: string | undefined): readonly E[];
  resolve(server: string | undefined, name: string): E | undefined;
}

const NO_ENTRIES: readonly never[] = [];

export function createNameIndex<E extends ExposedEntry>(): NameIndex<E> {
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
