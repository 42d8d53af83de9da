/** Which server answers for a URI. URIs are never rewritten, so two servers may list the same one. */
import type { Definition, ResourceDefinition, TemplateDefinition } from './definition.ts';
import type { Offer } from './offer.ts';
import { compileUriTemplate } from './uri-template.ts';

interface Listed<D extends Definition> {
  readonly server: string;
  /** The URI or the URI template. */
  readonly uri: string;
  readonly definition: D;
}

export type CatalogResource = Listed<ResourceDefinition>;
export type CatalogTemplate = Listed<TemplateDefinition>;

/** A URI or template that several servers list. The first server owns it. */
export interface Clash {
  readonly uri: string;
  readonly servers: readonly string[];
}

/** Whether the caller may see this server. */
export type Allows = (server: string) => boolean;

export interface ResourceIndex {
  /** Sets the offers in configuration order. Returns true if a list changed. */
  replace(servers: readonly (readonly [name: string, offer: Offer])[]): boolean;
  resources(server: string | undefined, allows: Allows): readonly CatalogResource[];
  templates(server: string | undefined, allows: Allows): readonly CatalogTemplate[];
  ownerOf(uri: string, allows: Allows): string | undefined;
  clashes(): readonly Clash[];
}

export function createResourceIndex(): ResourceIndex {
  let resources: readonly CatalogResource[] = [];
  let templates: readonly CatalogTemplate[] = [];
  let byUri = new Map<string, readonly (CatalogResource | CatalogTemplate)[]>();
  let patterns: readonly { readonly server: string; matches(uri: string): boolean }[] = [];
  let capable: readonly string[] = [];

  return {
    replace(servers) {
      const before = [...resources, ...templates];
      resources = servers.flatMap(([server, offer]) =>
        uniqueByUri(offer.resources.map((definition) => ({ server, uri: definition.uri, definition }))),
      );
      templates = servers.flatMap(([server, offer]) =>
        uniqueByUri(
          offer.templates.map((definition) => ({ server, uri: definition.uriTemplate, definition })),
        ),
      );
      patterns = templates.flatMap(({ server, uri }) => {
        const matches = compileUriTemplate(uri);
        return matches === undefined ? [] : { server, matches };
      });
      capable = servers.flatMap(([name, { about }]) => (about.has('resources') ? name : []));
      const all = [...resources, ...templates];
      byUri = Map.groupBy(all, ({ uri }) => uri);
      return !isSame(before, all);
    },
    resources: (server, allows) => visible(resources, server, allows),
    templates: (server, allows) => visible(templates, server, allows),
    ownerOf(uri, allows) {
      const listed = byUri.get(uri)?.find(({ server }) => allows(server));
      const owner = listed ?? patterns.find(({ server, matches }) => allows(server) && matches(uri));
      if (owner !== undefined) return owner.server;
      const [only, another] = capable.filter(allows);
      return another === undefined ? only : undefined;
    },
    clashes: () =>
      [...byUri].flatMap(([uri, listed]) => {
        const servers = [...new Set(listed.map(({ server }) => server))];
        return servers.length > 1 ? { uri, servers } : [];
      }),
  };
}

/** One server's own list; for all servers together, each URI once, from the first server. */
const visible = <D extends Definition>(
  all: readonly Listed<D>[],
  server: string | undefined,
  allows: Allows,
): readonly Listed<D>[] =>
  server === undefined
    ? uniqueByUri(all.filter((entry) => allows(entry.server)))
    : all.filter((entry) => entry.server === server && allows(server));

function uniqueByUri<D extends Definition>(listed: readonly Listed<D>[]): Listed<D>[] {
  const seen = new Set<string>();
  return listed.filter(({ uri }) => !seen.has(uri) && seen.add(uri));
}

const isSame = (a: readonly Listed<Definition>[], b: readonly Listed<Definition>[]): boolean =>
  a.length === b.length &&
  a.every((one, index) => one.server === b[index]!.server && one.definition.raw === b[index]!.definition.raw);
