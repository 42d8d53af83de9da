/** Renders the lists of the catalog for one caller. */
import { mayUseServer } from '../core/caller.ts';
import { viewName, type CatalogReader } from '../core/catalog/catalog.ts';
import { renameDefinition, type Definition } from '../core/catalog/definition.ts';
import type { ExposedEntry } from '../core/catalog/exposed-names.ts';
import type { Limits } from '../core/limits.ts';
import type { Era } from '../core/protocol.ts';
import type { ToolDefinition } from '../core/catalog/tool-definition.ts';
import type { ByteText } from '../core/wire/byte-text.ts';
import { type Asker, type ToolSurface, usableTools, writeTool } from './tool-surface.ts';
import { listMembers } from './handshake.ts';
import { metaDefinitions } from './meta-tools-definitions.ts';
import { isRecord } from '../lib/record.ts';

export type ListMethod = 'tools/list' | 'prompts/list' | 'resources/list' | 'resources/templates/list';

/** Undefined if the cursor was not issued for this list. */
export type Lists = (method: ListMethod, asker: Asker, cursor: string | undefined) => ByteText | undefined;

interface Entry {
  /** The entry's key in the list: a name, a URI, a template. */
  readonly key: string;
  readonly definition: Definition;
}

interface Listing {
  readonly entries: readonly Entry[];
  readonly firstPage: ByteText;
  /** Sorted by key; computed when a second page is requested. */
  sorted: readonly Entry[] | undefined;
}

/** Limits of the cache. Each session of an app has its own lists, which may be large. */
const MAX_REMEMBERED = 1_000;
export const MAX_REMEMBERED_BYTES = 32 * 1024 * 1024;

export interface ListsParts {
  readonly catalog: CatalogReader;
  readonly surface: ToolSurface;
  readonly limits: Pick<Limits, 'listPageSize'>;
  /** Whether a server is not connected, so that its listed tools come from the stored catalog. */
  isStale?(server: string): boolean;
}

/** Results are cached until a list changes. */
export function createLists({ catalog, surface, limits: { listPageSize }, isStale }: ListsParts): Lists {
  const remembered = new Map<string, Listing>();
  let rememberedBytes = 0;
  const forget = (): void => {
    remembered.clear();
    rememberedBytes = 0;
  };
  catalog.onChange(forget);

  function listingOf(method: ListMethod, asker: Asker): Listing {
    const { caller, view, era } = asker;
    const kind = method === 'tools/list' ? surface.kindFor(asker) : '';
    const stale = method === 'tools/list' ? staleFor(asker) : [];
    const key = [method, kind, era, viewName(view) ?? '', JSON.stringify(caller.scopes), ...stale].join('\0');
    let listing = remembered.get(key);
    if (listing === undefined) {
      listing = read(method, asker, stale);
      const bytes = listing.firstPage.length;
      if (remembered.size >= MAX_REMEMBERED || rememberedBytes + bytes > MAX_REMEMBERED_BYTES) forget();
      remembered.set(key, listing);
      rememberedBytes += bytes;
    }
    return listing;
  }

  /** Stale servers whose tools the caller may use. */
  function staleFor(asker: Asker): readonly string[] {
    const stale = catalog.servers(asker.view).filter((server) => isStale?.(server) === true);
    if (stale.length === 0) return stale;
    const usable = new Set(usableTools(catalog, asker).map(({ server }) => server));
    return stale.filter((server) => usable.has(server));
  }

  function read(method: ListMethod, asker: Asker, stale: readonly string[]): Listing {
    const isSearched = method === 'tools/list' && surface.kindFor(asker) === 'search';
    const entries = isSearched ? metaEntries(catalog, asker) : entriesOf(catalog, method, asker);
    const fits = entries.length <= listPageSize;
    const sorted = fits ? undefined : sortByKey(entries);
    return { entries, sorted, firstPage: render(method, asker.era, sorted ?? entries, stale) };
  }

  // oxlint-disable-next-line max-params -- one page
  function render(
    method: ListMethod,
    era: Era,
    entries: readonly Entry[],
    stale: readonly string[] = [],
  ): ByteText {
    const page = entries.slice(0, listPageSize);
    const { member, write } = LISTS[method];
    const list = `"${member}":[${page.map((entry) => write(entry, era)).join(',')}]`;
    const next =
      page.length < entries.length ? `,"nextCursor":"${writeCursor(method, page.at(-1)!.key)}"` : '';
    return `{${list}${next}${listMembers(era, stale)}}`;
  }

  return (method, asker, cursor) => {
    const listing = listingOf(method, asker);
    if (cursor === undefined) return listing.firstPage;
    const lastKey = readCursor(method, cursor);
    if (lastKey === undefined) return undefined;
    listing.sorted ??= sortByKey(listing.entries);
    return render(method, asker.era, listing.sorted.slice(placeAfter(listing.sorted, lastKey)));
  };
}

interface ListForm {
  readonly member: string;
  write(entry: Entry, era: Era): ByteText;
}

const LISTS: Readonly<Record<ListMethod, ListForm>> = {
  'tools/list': {
    member: 'tools',
    write: ({ key, definition }, era) => writeTool(key, definition as ToolDefinition, era),
  },
  'prompts/list': { member: 'prompts', write: ({ key, definition }) => renameDefinition(definition, key) },
  'resources/list': { member: 'resources', write: ({ definition }) => definition.raw },
  'resources/templates/list': { member: 'resourceTemplates', write: ({ definition }) => definition.raw },
};

/** The meta tools, in place of all tools that the caller may use. */
const metaEntries = (catalog: CatalogReader, asker: Asker): readonly Entry[] =>
  metaDefinitions(usableTools(catalog, asker)).map((definition) => ({ key: definition.name, definition }));

function entriesOf(catalog: CatalogReader, method: ListMethod, asker: Asker): readonly Entry[] {
  const { view } = asker;
  const { scopes } = asker.caller;
  const allows = (server: string): boolean => mayUseServer(scopes, server);
  const named = ({ exposed, name, definition }: ExposedEntry): Entry => ({
    key: view === undefined ? exposed : name,
    definition,
  });
  const listed = ({ uri, definition }: { uri: string; definition: Definition }): Entry => ({
    key: uri,
    definition,
  });
  switch (method) {
    case 'tools/list':
      return usableTools(catalog, asker).map(named);
    case 'prompts/list':
      return catalog
        .prompts(view)
        .filter(({ server }) => allows(server))
        .map(named);
    case 'resources/list':
      return catalog.resources(view, allows).map(listed);
    case 'resources/templates/list':
      return catalog.templates(view, allows).map(listed);
  }
}

/** Sorting by key keeps the order stable across changes, so that no page repeats or omits an unchanged entry. */
const sortByKey = (entries: readonly Entry[]): readonly Entry[] =>
  entries.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));

function placeAfter(sorted: readonly Entry[], key: string): number {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (sorted[middle]!.key <= key) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The position after this entry, or where it would be if it was removed meanwhile. */
export const writeCursor = (method: string, lastKey: string): string =>
  Buffer.from(JSON.stringify({ method, after: lastKey })).toString('base64url');

/** Returns the last key; undefined if the cursor was not issued for this list. */
export function readCursor(method: string, cursor: string): string | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    const after = isRecord(value) ? value['after'] : undefined;
    return typeof after === 'string' && writeCursor(method, after) === cursor ? after : undefined;
  } catch {
    return undefined;
  }
}
