/** What a command sees of the servers without touching any: the configuration, and the hub if one runs. */
import { PincerError } from '../../core/errors.ts';
import { visibleBlock } from '../../core/visible.ts';
import { configPath } from '../../owner/state-folder.ts';
import { outlineConfig, type OutlinedServer } from './outline.ts';
import type { Context } from '../context.ts';
import { ask, findHubClient, type HubClient } from '../../client/hub-client.ts';
import type { HubStatus } from '../../client/status.ts';
import { note } from '../terminal/output.ts';
import { styleFor } from '../terminal/style.ts';

export interface Look {
  readonly outline: readonly OutlinedServer[];
  readonly hub: HubClient | undefined;
  readonly status: HubStatus | undefined;
  /** Why the configuration cannot be used. */
  readonly configProblem: string | undefined;
}

export async function lookAround(context: Context): Promise<Look> {
  const path = configPath(context.home);
  const hub = findHubClient(context);
  const status = hub && (await ask<HubStatus>(hub, 'GET status'));
  if (status === undefined) {
    const outline = outlineConfig(path);
    return { outline, hub, status, configProblem: await problemIn(path) };
  }
  const { configProblem } = status;
  try {
    return { outline: outlineConfig(path), hub, status, configProblem };
  } catch (error) {
    // The hub that runs knows its servers though the file cannot be read now.
    return { outline: [], hub, status, configProblem: configProblem ?? PincerError.from(error).message };
  }
}

/** Of what only the hub's environment can answer nothing is said. The rules are loaded only where no hub knows better. */
async function problemIn(path: string): Promise<string | undefined> {
  const { checkConfig } = await import('../../config/check.ts');
  const { ended } = await import('../../config/issue-text.ts');
  const { readConfigFile } = await import('../../config/read-file.ts');
  const { issues } = checkConfig(readConfigFile(path), { env: process.env });
  const broken = issues.filter(({ missing }) => missing === undefined).map(({ message }) => message);
  return broken.length === 0 ? undefined : `${path} is not valid: ${ended(broken.join('; '))}`;
}

export function warnOfConfig({ configProblem, status }: Look): void {
  if (configProblem === undefined) return;
  const mark = styleFor(process.stderr).yellow('!');
  const rest =
    status === undefined
      ? 'The hub will not start with it.'
      : 'The hub goes on with the configuration before; `pincer reload` tries again.';
  note(`${mark} ${visibleBlock(configProblem)}\n  ${rest}\n`);
}
