/** The servers of config.json as they are written: no reference is resolved, so nothing secret is seen. */
import { readConfigFile } from '../config/read-file.ts';
import { shownTarget } from '../config/shown-target.ts';
import { isRecord } from '../core/is-record.ts';

export interface OutlinedServer {
  readonly name: string;
  readonly enabled: boolean;
  readonly transport: 'http' | 'stdio';
  readonly target: string;
  readonly raw: Readonly<Record<string, unknown>>;
}

/** Empty when there is no file. Rules are for `loadConfig` to check. */
export function outlineConfig(path: string): OutlinedServer[] {
  const value = readConfigFile(path);
  const servers = isRecord(value) && isRecord(value['servers']) ? value['servers'] : {};
  return Object.entries(servers).flatMap(([name, raw]) => (isRecord(raw) ? outlineServer(name, raw) : []));
}

const outlineServer = (name: string, raw: Readonly<Record<string, unknown>>): OutlinedServer => ({
  name,
  enabled: raw['enabled'] !== false,
  transport: typeof raw['command'] === 'string' ? 'stdio' : 'http',
  target: shownTarget(raw),
  raw,
});
