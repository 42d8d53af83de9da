/** What a change of the configuration makes wrong. What was wrong before is no reason to refuse it. */
import type { ConfigChange } from './edit.ts';
import { pathText } from './issue-text.ts';
import type { ConfigProblem } from '../core/config-problem.ts';

/**
 * Problems after a change that the change is to blame for: those of the settings that it writes, and those that were not
 * there before.
 */
export function newProblems(
  before: readonly ConfigProblem[],
  after: readonly ConfigProblem[],
  changes: readonly ConfigChange[],
): ConfigProblem[] {
  const left = new Map<string, number>();
  for (const problem of before) left.set(keyOf(problem), (left.get(keyOf(problem)) ?? 0) + 1);
  const written = changes.filter(({ item }) => item === undefined).map(({ path }) => pathText(path));
  return after.filter((problem) => {
    const key = keyOf(problem);
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0 || written.some((path) => isWithin(problem.setting, path));
  });
}

/** Without what an edit moves: lines, and places in a list. */
const keyOf = ({ setting, message }: ConfigProblem): string =>
  `${setting} ${message.slice(message.indexOf(', ') + 2)}`.replaceAll(/\[\d+\]|the app \d+/g, '');

const isWithin = (setting: string, path: string): boolean =>
  setting === path || setting.startsWith(`${path}.`) || setting.startsWith(`${path}[`);
