/** The list texts that a caller sees. If they are equal, nothing has changed for this caller. */
import { mayUse, mayUseServer, type Caller } from './caller.ts';
import type { CatalogReader, View } from './catalog/catalog.ts';
import type { ListKind } from './catalog/offer.ts';

export interface ListReader {
  readonly caller: Caller;
  readonly view: View;
}

export function listedTo(
  catalog: CatalogReader,
  { caller: { scopes }, view }: ListReader,
  kind: ListKind,
): readonly string[] {
  const allows = (server: string): boolean => mayUseServer(scopes, server);
  if (kind === 'resources')
    return [...catalog.resources(view, allows), ...catalog.templates(view, allows)].map(
      ({ definition }) => definition.raw,
    );
  const entries =
    kind === 'tools'
      ? catalog.list(view).filter((tool) => mayUse(scopes, tool))
      : catalog.prompts(view).filter(({ server }) => allows(server));
  return entries.flatMap(({ exposed, definition }) => [exposed, definition.raw]);
}
