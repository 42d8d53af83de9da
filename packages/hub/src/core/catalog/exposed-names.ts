import type { Definition } from './definition.ts';
import { hashedName, naturalName } from './tool-name.ts';

/** A server in configuration order, with the prefix of its names. */
export interface CatalogServer {
  readonly name: string;
  readonly prefix: string;
  /** Its names may have dots on its own endpoint. They become underscores where all servers are listed together. */
  readonly hasDots?: boolean;
}

/** A tool or prompt in the list of all servers. */
export interface ExposedEntry<D extends Definition = Definition> {
  readonly server: string;
  /** Its name at its server. */
  readonly name: string;
  /** Its name in the list of all servers. */
  readonly exposed: string;
  readonly definition: D;
}

export type Digest = (text: string) => string;

/** Assigns natural names first, so that a shortened name never takes one; then the rest, in a stable order. */
export function exposeAll<D extends Definition>(
  servers: readonly CatalogServer[],
  definitionsOf: (server: string) => readonly D[],
  digest: Digest,
): ExposedEntry<D>[] {
  const taken = new Set<string>();
  const entries = servers.flatMap(({ name, prefix, hasDots = false }) =>
    uniqueByName(definitionsOf(name)).map((definition) => ({ server: name, prefix, hasDots, definition })),
  );
  /** A server without a prefix must not take a name under another server's prefix. */
  const isForeign = (name: string): boolean =>
    servers.some(({ prefix }) => prefix !== '' && name.startsWith(`${prefix}__`));
  const natural = entries.map(({ prefix, hasDots, definition }) => {
    const name = naturalName(prefix, hasDots ? definition.name.replaceAll('.', '_') : definition.name);
    if (name === undefined || taken.has(name) || (prefix === '' && isForeign(name))) return undefined;
    taken.add(name);
    return name;
  });
  function shortened({ server, prefix, definition }: (typeof entries)[number]): string {
    const hash = digest(`${server}\0${definition.name}`);
    let name = hashedName(prefix, definition.name, hash.slice(0, 8));
    for (let length = 12; taken.has(name) && length <= 32; length += 4)
      name = hashedName(prefix, definition.name, hash.slice(0, length));
    taken.add(name);
    return name;
  }

  return entries.map((entry, index) => ({
    server: entry.server,
    name: entry.definition.name,
    exposed: natural[index] ?? shortened(entry),
    definition: entry.definition,
  }));
}

/** If a server lists a name twice, the first one counts. */
function uniqueByName<D extends Definition>(definitions: readonly D[]): D[] {
  const seen = new Set<string>();
  return definitions.filter(({ name }) => !seen.has(name) && seen.add(name));
}
