/** What a command sees of the servers without touching any: the configuration, and the hub if one runs. */
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

export interface Look {
  readonly outline: readonly OutlinedServer[];
  readonly hub: HubClient | undefined;
  readonly status: HubStatus | undefined;
  /** Why the file cannot be read, while the hub goes on with the one before. */
  readonly configProblem: string | undefined;
  /** Settings that are wrong, those of servers included. */
  readonly problems: readonly ReportedProblem[];
  /** Where no hub runs: servers that one could not use. */
  readonly failed: readonly FailedServer[];
}

export async function lookAround(context: Context): Promise<Look> {
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
    // The hub that runs knows its servers though the file cannot be read now.
    return { outline: [], configProblem: configProblem ?? PincerError.from(error).message, ...known };
  }
}

/** What only the hub's environment can answer is no problem here. The rules are loaded only where no hub knows better. */
async function readHere(home: string): Promise<Pick<Look, 'problems' | 'failed'>> {
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

/** Says what is wrong besides servers, which say so themselves. */
export function warnOfConfig({ configProblem, problems, status }: Look): void {
  const style = styleFor(process.stderr);
  const mark = style.yellow('!');
  if (configProblem !== undefined)
    note(
      `${mark} ${visibleBlock(configProblem)}\n  The hub goes on with the configuration before; \`pincer reload\` tries again.\n`,
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
