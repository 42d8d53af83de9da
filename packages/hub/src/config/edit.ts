/** Changes config.json, keeps comments and formatting, and finds the problems that a change causes. */
import { isDeepStrictEqual } from 'node:util';
import JSON5 from 'json5';
import type { ConfigProblem } from '../core/config-problem.ts';
import { PincerError } from '../core/errors.ts';
import { isRecord, pathText, valueAt } from '../lib/record.ts';
import { appendToText, removeFromText, removeItemFromText, setInText } from './json5-edit.ts';
import { parseConfigText, readConfigText, serversIn } from './read-file.ts';
import { hideClearSecrets } from './secrets.ts';

export interface ConfigChange {
  readonly path: readonly string[];
  /** Undefined removes the setting. */
  readonly value: unknown;
  /** Changes only this item of the list at the path; `new` appends one. */
  readonly item?: number | 'new' | undefined;
}

/** `file` names the text in errors. */
export function editConfigText(text: string, changes: readonly ConfigChange[], file: string): string {
  const wanted = changes.reduce(changed, parseConfigText(text, file));
  const edited = changes.reduce(editOnce, text);
  // Guards against unusual formatting: the edited text has the intended value, or nothing is saved.
  if (isDeepStrictEqual(tryParse(edited), wanted)) return edited;
  throw new PincerError('CONFIG_INVALID', `Pincer cannot edit ${file}, because of its unusual formatting.`, {
    hint: `Change it yourself: ${changes.map(describe).join('; ')}`,
  });
}

/** Returns the file's text with `servers.<name>` added. Throws if there is a server of that name. */
export function editServer(path: string, name: string, server: object): string {
  const text = readConfigText(path);
  if (Object.hasOwn(serversIn(parseConfigText(text, path)), name))
    throw new PincerError('SERVER_EXISTS', `A server "${name}" already exists.`, {
      hint: `Choose another name, or change the existing server: pincer set ${name} KEY VALUE`,
    });
  return editConfigText(text, [{ path: ['servers', name], value: server }], path);
}

const editOnce = (text: string, { path, value, item }: ConfigChange): string => {
  try {
    if (item === 'new') return appendToText(text, path, value);
    if (item !== undefined) return removeItemFromText(text, path, item);
    return value === undefined ? removeFromText(text, path) : setInText(text, path, value);
  } catch {
    return text;
  }
};

/** Applies the change to the parsed value. */
function changed(config: unknown, change: ConfigChange): unknown {
  const { path, item } = change;
  if (item === undefined) return replaced(config, change);
  const found = valueAt(config, path);
  const list: unknown[] = Array.isArray(found) ? found : [];
  const value = item === 'new' ? [...list, change.value] : list.toSpliced(item, 1);
  return replaced(config, { path, value });
}

function replaced(config: unknown, { path, value }: ConfigChange): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const members = isRecord(config) ? config : {};
  if (value === undefined && !Object.hasOwn(members, key)) return config;
  if (value !== undefined || rest.length > 0) {
    const inner = replaced(Object.hasOwn(members, key) ? members[key] : undefined, { path: rest, value });
    return { ...members, ...Object.fromEntries([[key, inner]]) };
  }
  return Object.fromEntries(Object.entries(members).filter(([name]) => name !== key));
}

function tryParse(text: string): unknown {
  try {
    return JSON5.parse(text);
  } catch {
    return undefined;
  }
}

function describe({ path, value, item }: ConfigChange): string {
  const place = typeof item === 'number' ? `${path.join('.')}[${item}]` : path.join('.');
  if (value === undefined) return `remove ${place}`;
  const shown = JSON.stringify(hideClearSecrets(value, path.at(-1)!));
  return item === 'new' ? `add to ${place}: ${shown}` : `${place} = ${shown}`;
}

/**
 * Returns the problems that a change causes: those of the settings that it writes, and those that were not there before.
 * Earlier problems are no reason to refuse a change.
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

/** Leaves out what an edit moves: line numbers and list indexes. */
const keyOf = ({ setting, message }: ConfigProblem): string =>
  `${setting} ${message.slice(message.indexOf(', ') + 2)}`.replaceAll(/\[\d+\]|the app \d+/g, '');

const isWithin = (setting: string, path: string): boolean =>
  setting === path || setting.startsWith(`${path}.`) || setting.startsWith(`${path}[`);
