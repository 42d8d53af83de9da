/** mcporter keeps servers in its own daemon, which it starts in the background. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { belongsTo } from '../process/belongs.ts';
import type { Upstream } from './subject.ts';

export interface McporterSetup {
  config: string;
  env: Record<string, string>;
}

/** `keep-alive` keeps the server in the daemon; `ephemeral` starts it for each call. */
export function writeMcporterConfig(
  folder: string,
  upstream: Upstream,
  lifecycle: 'keep-alive' | 'ephemeral',
): McporterSetup {
  const behind =
    upstream.kind === 'stdio'
      ? { command: upstream.command, args: upstream.args }
      : { baseUrl: upstream.url };
  const config = join(folder, 'mcporter.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { bench: { ...behind, lifecycle } }, imports: [] }));
  return { config, env: { MCPORTER_DAEMON_DIR: folder } };
}

/** The daemon writes its pid beside its socket. Returns an empty list if no daemon runs. */
export function daemonPids(folder: string): number[] {
  const run = join(folder, 'daemon');
  try {
    const files = readdirSync(run).filter((name) => name.endsWith('.json'));
    return files
      .map((name) => (JSON.parse(readFileSync(join(run, name), 'utf8')) as { pid: number }).pid)
      .filter((pid) => belongsTo(pid, folder));
  } catch {
    return [];
  }
}
