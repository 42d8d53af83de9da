/** A change of config.json that is checked before it is written, and taken over by the hub that runs. */
import { existsSync, realpathSync } from 'node:fs';
import { type ConfigChange, editConfigText, newProblems } from '../../config/edit.ts';
import { ended, listed } from '../../config/explain-issue.ts';
import { readConfig } from '../../config/load.ts';
import type { ConfigProblem } from '../../core/config-problem.ts';
import { parseConfigText, readConfigText } from '../../config/read-file.ts';
import type { ReloadReport } from '../../control/contract/servers.ts';
import { PincerError } from '../../core/errors.ts';
import { configPath, prepareStateFolder, writeFileAtomically } from '../../owner/state-folder.ts';
import { openVault } from '../../owner/vault.ts';
import type { Context } from '../context.ts';
import { ask, findHubClient, type HubClient } from '../../control/client/hub-client.ts';

export interface Changed {
  readonly changes: readonly ConfigChange[];
  /** What the hub that runs has done about it; undefined: none runs. */
  readonly reload: ReloadReport | undefined;
  /** References that lead nowhere here. Where the hub is started they may. */
  readonly unresolved: readonly string[];
}

/**
 * `plan` is given the value of the file. Nothing is written that breaks a rule, or that the hub that runs cannot use. What
 * was wrong before stays as it is.
 */
export async function changeConfig(
  context: Context,
  plan: (config: unknown) => readonly ConfigChange[],
): Promise<Changed> {
  const shown = configPath(context.home);
  // A link to the file somewhere else stays one.
  const path = existsSync(shown) ? realpathSync(shown) : shown;
  const text = readConfigText(path);
  const changes = plan(parseConfigText(text, path));
  const edited = editConfigText(text, changes, path);
  const hub = findHubClient(context);
  const secret = (name: string): string | undefined => secretIn(context.home, name);
  const problemsIn = async (each: string): Promise<readonly ConfigProblem[]> =>
    (hub && (await problemsByHub(hub, each))) ??
    readConfig(each, path, { env: process.env, secret }).problems;
  const unresolved = assertValid(
    newProblems(await problemsIn(text), await problemsIn(edited), changes),
    hub !== undefined,
  );
  if (edited !== text) {
    prepareStateFolder(context.home);
    assertUntouched(path, text);
    writeFileAtomically(path, edited);
  }
  const undo = (): void => {
    if (edited !== text && readConfigText(path) === edited) writeFileAtomically(path, text);
  };
  return { changes, reload: hub && (await reload(hub, undo)), unresolved };
}

/** The hub knows which variables it was started with. Undefined: it is gone, or of a version that does not check. */
async function problemsByHub(hub: HubClient, text: string): Promise<readonly ConfigProblem[] | undefined> {
  try {
    return (await ask(hub, 'POST check', { body: { text } })).problems;
  } catch (error) {
    const { code } = PincerError.from(error);
    if (code === 'USAGE' || code === 'HUB_UNREACHABLE') return undefined;
    throw error;
  }
}

/** Gives back what only a hub that starts later can know. */
function assertValid(problems: readonly ConfigProblem[], isHubRunning: boolean): string[] {
  const broken = problems.filter(({ missing }) => missing === undefined);
  if (broken.length > 0)
    throw new PincerError('CONFIG_INVALID', `Nothing was saved.${listed(broken.map(sentenceOf))}`, {
      hint: 'See docs/config.md for every setting.',
    });
  const [first] = problems;
  if (isHubRunning && first !== undefined)
    throw new PincerError(
      first.code,
      `Nothing was saved: the hub that runs cannot use it. ${ended(sentenceOf(first))}`,
      { hint: first.hint, data: first.missing },
    );
  return problems.map(sentenceOf);
}

/** Without its place: nothing is there yet. */
const sentenceOf = ({ message, file, line }: ConfigProblem): string =>
  message.replace(`Line ${line} of ${file}, `, '').replace(/\.$/, '');

/** A vault that cannot be opened is for the hub to complain of. */
function secretIn(home: string, name: string): string | undefined {
  try {
    return openVault(home, process.env).get(name);
  } catch {
    return undefined;
  }
}

function assertUntouched(path: string, text: string): void {
  if (readConfigText(path) === text) return;
  throw new PincerError('CONFIG_UNREADABLE', `${path} was changed by somebody else at this moment.`, {
    hint: 'Nothing was saved: try again.',
  });
}

/** Undefined: the hub has ended at this moment, and the next one reads what was written. */
async function reload(hub: HubClient, undo: () => void): Promise<ReloadReport | undefined> {
  try {
    return await ask(hub, 'POST reload');
  } catch (error) {
    const { code, message, hint, data } = PincerError.from(error);
    if (code === 'HUB_UNREACHABLE') return undefined;
    undo();
    throw new PincerError(code, `Nothing was saved: the hub that runs cannot use it. ${message}`, {
      hint,
      data,
      cause: error,
    });
  }
}
