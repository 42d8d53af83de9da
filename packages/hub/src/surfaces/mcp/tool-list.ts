import { mayUse, type Caller } from '../../core/caller.ts';
import type { Catalog, View } from '../../core/catalog.ts';
import { META_KEY, type Era } from '../../core/protocol.ts';
import { renameTool } from '../../core/tool-definition.ts';
import { jsonBytes, type ByteText } from '../../core/wire/byte-text.ts';
import { SERVER_INFO } from './server-info.ts';

/** How long a modern client may keep a list before it asks again. */
export const LIST_TTL_MS = 5_000;
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
  const meta = jsonBytes({ [META_KEY.serverInfo]: SERVER_INFO });
  return `{${list},"resultType":"complete","ttlMs":${LIST_TTL_MS},"cacheScope":"private","_meta":${meta}}`;
}
