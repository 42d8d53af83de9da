/** The servers of the configuration as written. References are not resolved, so no secret is visible. */
import { readConfigFile, serversIn } from '../../config/read-file.ts';
import { openClawFilePath, readOpenClawFile } from '../../config/openclaw-file.ts';
import { shownTarget } from '../../config/secrets.ts';
import { isRecord } from '../../lib/record.ts';

export interface OutlinedServer {
  readonly name: string;
  readonly enabled: boolean;
  readonly transport: 'http' | 'stdio';
  readonly target: string;
  readonly raw: Readonly<Record<string, unknown>>;
  /** The file that defines the server. */
  readonly origin: 'config.json' | 'openclaw.json';
}

/** Returns an empty list if there is no file. Does not validate; `loadConfig` does. */
export function outlineConfig(path: string, env: NodeJS.ProcessEnv = process.env): OutlinedServer[] {
  const own = serversIn(readConfigFile(path));
  const borrowed = readOpenClawFile(openClawFilePath(env))?.servers ?? {};
  const isOwn = ([name]: [string, unknown]): boolean => Object.hasOwn(own, name);
  return [
    ...Object.entries(own).map((entry) => [...entry, 'config.json'] as const),
    ...Object.entries(borrowed)
      .filter((entry) => !isOwn(entry))
      .map((entry) => [...entry, 'openclaw.json'] as const),
  ].flatMap(([name, raw, origin]) => (isRecord(raw) ? outlineServer(name, raw, origin) : []));
}

const outlineServer = (
  name: string,
  raw: Readonly<Record<string, unknown>>,
  origin: OutlinedServer['origin'],
): OutlinedServer => ({
  name,
  origin,
  enabled: raw['enabled'] !== false,
  transport: typeof raw['command'] === 'string' ? 'stdio' : 'http',
  target: shownTarget(raw),
  raw,
});
