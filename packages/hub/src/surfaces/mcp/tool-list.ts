import { mayUse, type Caller } from '../../core/caller.ts';
import type { Catalog, View } from '../../core/catalog.ts';
import type { Era } from '../../core/protocol.ts';
import { renameTool } from '../../core/tool-definition.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';
import { MODERN_LIST_MEMBERS } from './handshake.ts';

const MAX_REMEMBERED = 1_000;

/** Renders `tools/list`; the same question is answered from memory until the catalog changes. */
export function createToolList(catalog: Catalog): (caller: Caller, view: View, era: Era) => ByteText {
  const remembered = new Map<string, ByteText>();
  catalog.onChange(() => remembered.clear());
  return (caller, view, era) => {
    const key = `${era}\0${view ?? ''}\0${caller.id}\0${JSON.stringify(caller.scopes)}`;
    let text = remembered.get(key);
    if (text === undefined) {
      text = render(catalog, caller, view, era);
      if (remembered.size >= MAX_REMEMBERED) remembered.clear();
      remembered.set(key, text);
    }
    return text;
  };
}

function render(catalog: Catalog, caller: Caller, view: View, era: Era): ByteText {
  const tools = catalog
    .list(view)
    .filter((tool) => mayUse(caller.scopes, tool))
    .map((tool) => renameTool(tool.definition, view === undefined ? tool.exposed : tool.name));
  const list = `"tools":[${tools.join(',')}]`;
  if (era === 'legacy') return `{${list}}`;
  return `{${list}${MODERN_LIST_MEMBERS}}`;
}
