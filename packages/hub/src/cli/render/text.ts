/** Small parts of output that several commands share. */
import { visible } from '../../core/visible.ts';
import { sep } from 'node:path';
import type { Style } from '../terminal/style.ts';
import { columns } from './columns.ts';

/** The first line of an untrusted text. */
export const firstLine = (text: unknown): string =>
  visible((typeof text === 'string' ? text : '').trim().split('\n', 1)[0]!.trim());

/** Adds a full stop if the text has no end mark. */
export const fullStop = (text: string): string => (/[.?!…]$/.test(text) ? text : `${text}.`);

/** `12 bytes`, `3.4 KB`, `12.0 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const [value, unit] = bytes < 1024 * 1024 ? [bytes / 1024, 'KB'] : [bytes / (1024 * 1024), 'MB'];
  return `${value.toFixed(1)} ${unit}`;
}

/** Shortens paths: `~/…` in the home folder, `./…` in the current one. */
export const shortener =
  (home: string, here: string) =>
  (path: string): string => {
    if (path === here) return '.';
    if (here !== home && path.startsWith(here + sep)) return `.${path.slice(here.length)}`;
    return path === home ? '~' : path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path;
  };

/** The hint as an indented line; nothing without a hint. */
export const renderHint = (hint: string | undefined, style: Style): string[] =>
  hint === undefined ? [] : [`   ${style.bold('hint:')} ${visible(hint)}`];

/** Aligned `label  value` lines. A line without a value is left out. */
export function renderFacts(
  facts: readonly (readonly [label: string, value: string | undefined])[],
  style: Style,
  width?: number,
): string[] {
  const given = facts.filter((fact): fact is [string, string] => fact[1] !== undefined && fact[1] !== '');
  return columns(
    given.map(([label, value]) => [`  ${style.dim(label)}`, value]),
    width,
  );
}
