/** Changes config.json: checks the change, writes it, and lets a running hub apply it. */
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
  /** The report of the running hub; undefined if none is running. */
  readonly reload: ReloadReport | undefined;
  /** References that do not resolve here. They may resolve where the hub is started. */
  readonly unresolved: readonly string[];
}

/**
 * `plan` gets the content of the file. Writes nothing if the change adds a problem or the running hub cannot use it.
 * Existing problems are ignored.
 */
export async function changeConfig(
  context: Context,
  plan: (config: unknown) => readonly ConfigChange[],
): Promise<Changed> {
  const shown = configPath(context.home);
  // Follow a symbolic link instead of replacing it.
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

/** The hub checks with its own variables. Returns undefined if it has ended or its version cannot check. */
async function problemsByHub(hub: HubClient, text: string): Promise<readonly ConfigProblem[] | undefined> {
  try {
    return (await ask(hub, 'POST check', { body: { text } })).problems;
  } catch (error) {
    const { code } = PincerError.from(error);
    if (code === 'USAGE' || code === 'HUB_UNREACHABLE') return undefined;
    throw error;
  }
}

/** Throws for problems that prevent saving. Returns unresolved references, which a hub may resolve later. */
function assertValid(problems: readonly ConfigProblem[], isHubRunning: boolean): string[] {
  const broken = problems.filter(({ missing }) => missing === undefined);
  if (broken.length > 0)
    throw new PincerError('CONFIG_INVALID', `Nothing was saved.${listed(broken.map(sentenceOf))}`, {
      hint: 'All settings are described in docs/config.md.',
    });
  const [first] = problems;
  if (isHubRunning && first !== undefined)
    throw new PincerError(
      first.code,
      `Nothing was saved, because the running hub cannot use it. ${ended(sentenceOf(first))}`,
      { hint: first.hint, data: first.missing },
    );
  return problems.map(sentenceOf);
}

/** Removes the file and line, because the change is not in the file yet. */
const sentenceOf = ({ message, file, line }: ConfigProblem): string =>
  message.replace(`Line ${line} of ${file}, `, '').replace(/\.$/, '');

/** Returns undefined for an unreadable vault, which the hub reports. */
function secretIn(home: string, name: string): string | undefined {
  try {
    return openVault(home, process.env).get(name);
  } catch {
    return undefined;
  }
}

function assertUntouched(path: string, text: string): void {
  if (readConfigText(path) === text) return;
  throw new PincerError('CONFIG_UNREADABLE', `Another program changed ${path} at the same time.`, {
    hint: 'Nothing was saved. Try again.',
  });
}

/** Returns undefined if the hub has just ended; the next one reads the new file. */
async function reload(hub: HubClient, undo: () => void): Promise<ReloadReport | undefined> {
  try {
    return await ask(hub, 'POST reload');
  } catch (error) {
    const { code, message, hint, data } = PincerError.from(error);
    if (code === 'HUB_UNREACHABLE') return undefined;
    undo();
    throw new PincerError(code, `Nothing was saved, because the running hub cannot use it. ${message}`, {
      hint,
      data,
      cause: error,
    });
  }
}
