/** Turns the arguments of `pincer set` into changes of the configuration, with the types of its schema. */
import type { ConfigChange } from '../../config/edit.ts';
import { ended, explainUnknown } from '../../config/explain-issue.ts';
import { parseConfigText } from '../../config/read-file.ts';
import { keysAt, shapeAt, type Shape } from '../../config/shape.ts';
import { closest } from '../../lib/text.ts';
import { PincerError } from '../../core/errors.ts';

export interface Setting {
  readonly path: readonly string[];
  readonly shape: Shape;
}

/** Reads `KEY VALUE…`, any number of `KEY=VALUE` and `KEY:=JSON`, or the whole server as one JSON object. */
export function readSettings(server: string, words: readonly string[]): ConfigChange[] {
  const [first, ...rest] = words;
  if (first === undefined) throw usage('The setting is missing.');
  if (first.startsWith('{') && rest.length === 0)
    return [{ path: ['servers', server], value: parseConfigText(first, 'The server') }];
  if (first.includes('=')) return words.flatMap((word) => readPair(server, word));
  if (rest.length === 0) throw usage(`The value of ${first} is missing.`);
  return readWords(findSetting(server, first), rest);
}

/** Reads `KEY=VALUE` or `KEY:=JSON`. */
export function readPair(server: string, word: string): ConfigChange[] {
  const equals = word.indexOf('=');
  if (equals < 1) throw usage(`"${word}" is not KEY=VALUE.`);
  const isJson = word[equals - 1] === ':';
  const setting = findSetting(server, word.slice(0, isJson ? equals - 1 : equals));
  const text = word.slice(equals + 1);
  return isJson ? [{ path: setting.path, value: readJson(setting, text) }] : readWords(setting, [text]);
}

/** Splits a key such as `env.HOME`. In an object with free names, such as `policy`, the rest is one name with its dots. */
export function findSetting(server: string, key: string): Setting {
  const path = ['servers', server];
  const steps = key.split('.');
  for (let shape = shapeAt(path)!; steps.length > 0; shape = shapeAt(path)!) {
    const known = keysAt(path);
    const step = known.length === 0 ? steps.splice(0).join('.') : steps.shift()!;
    if (step === '' || (known.length > 0 && !known.includes(step)) || shape['type'] !== 'object')
      throw unknownSetting(server, [...path.slice(2), step], known);
    path.push(step);
  }
  return { path, shape: shapeAt(path)! };
}

function readWords(setting: Setting, words: readonly string[]): ConfigChange[] {
  const { path, shape } = setting;
  const name = path.slice(2).join('.');
  if (shape['type'] === 'object') return readEntries(setting, words);
  if (shape['type'] === 'array') {
    const [first = ''] = words;
    const isJson = words.length === 1 && first.startsWith('[');
    return [{ path, value: isJson ? readJson(setting, first) : words }];
  }
  if (words.length > 1) throw usage(`${name} takes one value. Put it in quotes.`);
  return [{ path, value: readScalar(name, shape, words[0]!) }];
}

/** `pincer set files env A=1 B=2`. */
function readEntries({ path, shape }: Setting, words: readonly string[]): ConfigChange[] {
  const [first = ''] = words;
  if (words.length === 1 && first.startsWith('{')) return [{ path, value: readJson({ path, shape }, first) }];
  const [, server = ''] = path;
  const group = path.slice(2).join('.');
  if (words.some((word) => word.indexOf('=') < 1))
    throw usage(`${group} is an object: write ${group}.NAME VALUE, or ${group} NAME=VALUE ….`);
  return words.flatMap((word) => readPair(server, `${group}.${word}`));
}

const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  on: true,
  yes: true,
  false: false,
  off: false,
  no: false,
};

function readScalar(name: string, shape: Shape, text: string): unknown {
  const { type, enum: choices } = shape;
  if (Array.isArray(choices)) {
    if (choices.includes(text)) return text;
    const near = closest(text, choices.map(String));
    throw invalid(
      `${name} must be one of ${choices.join(', ')}, not "${text}".`,
      near && `Did you mean ${near}?`,
    );
  }
  if (type === 'boolean') {
    if (Object.hasOwn(BOOLEANS, text)) return BOOLEANS[text];
    throw invalid(`${name} must be true or false, not "${text}".`);
  }
  if (type !== 'number' && type !== 'integer') return text;
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(number)) return number;
  throw invalid(`${name} must be a number, not "${text}".`, unitHint(name));
}

const unitHint = (name: string): string | undefined =>
  name.endsWith('Ms') ? 'The unit is milliseconds: 30000 is 30 seconds.' : undefined;

function readJson({ path }: Setting, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(`The value of ${path.slice(2).join('.')} is not JSON.`);
  }
}

function unknownSetting(server: string, steps: readonly string[], known: readonly string[]): PincerError {
  const why = explainUnknown(steps.at(-1)!, known);
  return invalid(`servers.${server}.${steps.join('.')}: ${ended(why)}`);
}

const invalid = (message: string, hint?: string): PincerError =>
  new PincerError('ARGUMENT_INVALID', message, {
    hint: hint ?? 'All settings are described in docs/config.md.',
  });

const usage = (message: string): PincerError =>
  new PincerError('USAGE', message, {
    hint: 'Run `pincer set NAME KEY VALUE`, or `pincer set NAME KEY=VALUE …`.',
  });
