/** What OpenClaw's configuration says of this plugin itself: `plugins.entries.mcp-client`. */
import { isPart } from '../config-part.ts';
import type { HostConfig, HostConfigFile } from '../host.ts';

const WAY = ['plugins', 'entries', 'mcp-client'];

type Fields = Record<string, unknown>;

const inner = (value: unknown, key: string): unknown => (isPart(value) ? value[key] : undefined);

/** The value at a place of the entry; undefined where there is none. */
export const readEntry = (config: HostConfig, path: readonly string[]): unknown =>
  [...WAY, ...path].reduce<unknown>(inner, config);

/** Writes a value to a place of the entry. What is not there on the way is made. */
export async function writeEntry(
  config: HostConfigFile,
  path: readonly string[],
  value: boolean,
): Promise<void> {
  await config.mutateConfigFile({
    afterWrite: { mode: 'auto' },
    mutate(draft) {
      let at = entryIn(draft);
      for (const key of path.slice(0, -1)) at = child(at, key);
      at[path.at(-1)!] = value;
    },
  });
}

/** The entry in a draft, made where there is none. */
export const entryIn = (draft: Fields): Fields => WAY.reduce(child, draft);

/** The object at a key, made where there is none. */
function child(parent: Fields, key: string): Fields {
  const value = parent[key];
  if (isPart(value)) return value;
  const made: Fields = {};
  parent[key] = made;
  return made;
}
