/** Changes to config.json that keep the person's comments and formatting. */
import { isDeepStrictEqual } from 'node:util';
import JSON5 from 'json5';
import { PincerError } from '../core/errors.ts';
import { isRecord, valueAt } from '../lib/record.ts';
import { serversIn } from './as-written.ts';
import { hideClearSecrets } from './hide-secrets.ts';
import { appendToText, removeFromText, removeItemFromText, setInText } from './json5-edit.ts';
import { parseConfigText, readConfigText } from './read-file.ts';

export interface ConfigChange {
  readonly path: readonly string[];
  /** Undefined: what is there is removed. */
  readonly value: unknown;
  /** Of the list at the path, only the item at this place; `new` is one more at its end. */
  readonly item?: number | 'new' | undefined;
}

/** `file` is what the text is called when something is wrong with it. */
export function editConfigText(text: string, changes: readonly ConfigChange[], file: string): string {
  const wanted = changes.reduce(changed, parseConfigText(text, file));
  const edited = changes.reduce(editOnce, text);
  // Whatever somebody may have written: what is saved says what was meant, or nothing is.
  if (isDeepStrictEqual(tryParse(edited), wanted)) return edited;
  throw new PincerError(
    'CONFIG_INVALID',
    `${file} is written in a way that Pincer does not edit by itself.`,
    {
      hint: `Change it by hand: ${changes.map(describe).join('; ')}`,
    },
  );
}

/** The file's text with `servers.<name>` set. */
export function editServer(path: string, name: string, server: object): string {
  const text = readConfigText(path);
  if (Object.hasOwn(serversIn(parseConfigText(text, path)), name))
    throw new PincerError('SERVER_EXISTS', `A server "${name}" is configured already.`, {
      hint: `Choose another name, or change it: pincer set ${name} KEY VALUE`,
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

/** The same change to the value that the text stands for. */
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
