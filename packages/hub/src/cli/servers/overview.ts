/** Collects what is known about the servers without connecting: the configuration, and the status of a running hub. */
import type { ConfigProblem, FailedServer } from '../../core/config-problem.ts';
import { PincerError } from '../../core/errors.ts';
import { visible, visibleBlock } from '../../core/visible.ts';
import { configPath } from '../../owner/state-folder.ts';
import { outlineConfig, type OutlinedServer } from './outline.ts';
import type { Context } from '../context.ts';
import { ask, findHubClient, type HubClient } from '../../control/client/hub-client.ts';
import type { HubStatus, ReportedProblem } from '../../control/contract/status.ts';
import { renderHint } from '../render/text.ts';
import { note } from '../terminal/output.ts';
import { styleFor } from '../terminal/style.ts';
import type { HubFile } from '../../owner/hub-file.ts';

export interface Overview {
  readonly outline: readonly OutlinedServer[];
  readonly hub: HubClient | undefined;
  readonly status: HubStatus | undefined;
  /** Why the file cannot be read. The hub still uses the previous configuration. */
  readonly configProblem: string | undefined;
  /** Invalid settings, including those of servers. */
  readonly problems: readonly ReportedProblem[];
  /** Servers that a hub could not use. Empty if a hub is running. */
  readonly failed: readonly FailedServer[];
}

export async function readOverview(context: Context): Promise<Overview> {
  const path = configPath(context.home);
  const hub = findHubClient(context);
  const status = hub && (await ask(hub, 'GET status'));
  if (status === undefined) {
    const outline = outlineConfig(path);
    return { outline, hub, status, configProblem: undefined, ...(await readHere(context.home)) };
  }
  const { configProblem, problems = [] } = status;
  const known = { hub, status, problems, failed: [] };
  try {
    return { outline: outlineConfig(path), configProblem, ...known };
  } catch (error) {
    // The running hub knows its servers even if the file cannot be read now.
    return { outline: [], configProblem: configProblem ?? PincerError.from(error).message, ...known };
  }
}

/**
 * Checks the configuration without a hub. Ignores missing variables, which a hub may have in its environment. The schema
 * is loaded only if no hub is running.
 */
async function readHere(home: string): Promise<Pick<Overview, 'problems' | 'failed'>> {
  const { loadConfigHere } = await import('../settings/load-config-here.ts');
  const isCertain = ({ missing }: ConfigProblem): boolean => missing?.['variable'] === undefined;
  const { problems, failed } = loadConfigHere(home);
  return {
    problems: problems.filter(isCertain),
    failed: failed
      .map((server) => ({ ...server, problems: server.problems.filter(isCertain) }))
      .filter((server) => server.problems.length > 0),
  };
}

/** Prints problems of the configuration, except those of servers, which the list shows. */
export function warnOfConfig({ configProblem, problems, status }: Overview): void {
  const style = styleFor(process.stderr);
  const mark = style.yellow('!');
  if (configProblem !== undefined)
    note(
      `${mark} ${visibleBlock(configProblem)}\n  The hub still uses the previous configuration. After a correction: pincer reload\n`,
    );
  const servers = new Set(status?.servers.map(({ name }) => name));
  for (const { section, name, message, effect, hint } of problems) {
    if (section === 'servers' && name !== undefined && (status === undefined || servers.has(name))) continue;
    note(`${mark} ${visible(effect === undefined ? message : `${message} ${effect}`)}\n`);
    note(`${renderHint(hint, style).join('\n')}\n`);
  }
}

/** For `--json`. */
export const describeHub = ({ pid, version, mode, endpoints }: HubFile): object => ({
  pid,
  version,
  mode,
  endpoints,
});
