/** Apps that could not be told apart from each other, or from servers. */
import { isRecord } from '../core/is-record.ts';
import { valueAt } from '../core/value-at.ts';
import { serversIn } from './as-written.ts';

export interface AppClash {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Looks at a configuration as it is written, right or wrong. The later one is told of. */
export function clashesOfApps(config: unknown): AppClash[] {
  const names = takenByServers(config);
  const hashes = new Map<string, string>();
  const apps = valueAt(config, ['proxy', 'apps']);
  return (Array.isArray(apps) ? apps : []).flatMap((app: unknown, index) => {
    const name = valueAt(app, ['name']);
    const hash = valueAt(app, ['tokenHash']);
    return [
      ...claim(names, name, ['proxy', 'apps', index, 'name'], `the app ${index + 1}`),
      ...claim(hashes, lower(hash), ['proxy', 'apps', index, 'tokenHash'], `the app ${index + 1}`),
    ];
  });
}

/** Names of tools begin with them, and paths of `/mcp/<name>` end so. */
function takenByServers(config: unknown): Map<string, string> {
  const taken = new Map<string, string>();
  for (const [name, server] of Object.entries(serversIn(config))) {
    const prefix = isRecord(server) ? server['toolPrefix'] : undefined;
    taken.set(name, `the server ${name}`);
    if (typeof prefix === 'string' && prefix !== '' && !taken.has(prefix))
      taken.set(prefix, `the server ${name}, as its toolPrefix`);
  }
  return taken;
}

function claim(
  taken: Map<string, string>,
  value: unknown,
  path: readonly PropertyKey[],
  owner: string,
): AppClash[] {
  if (typeof value !== 'string') return [];
  const other = taken.get(value);
  if (other === undefined) taken.set(value, owner);
  return other === undefined ? [] : [{ path, message: `belongs to ${other} already` }];
}

const lower = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value);
