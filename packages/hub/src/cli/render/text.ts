/** Small pieces of output that several commands share. */
import { visible } from '../../core/visible.ts';
import { sep } from 'node:path';
import type { Style } from '../terminal/style.ts';
import { columns } from './columns.ts';

/** Of a description that somebody else wrote. */
export const firstLine = (text: unknown): string =>
  visible((typeof text === 'string' ? text : '').trim().split('\n', 1)[0]!.trim());

/** A reason, which somebody else may have written with one or without, as a sentence. */
export const fullStop = (text: string): string => (/[.?!…]$/.test(text) ? text : `${text}.`);

/** `12 bytes`, `3.4 KB`, `12.0 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const [value, unit] = bytes < 1024 * 1024 ? [bytes / 1024, 'KB'] : [bytes / (1024 * 1024), 'MB'];
  return `${value.toFixed(1)} ${unit}`;
}

/** Paths as a person would say them: `~/…` in the home folder, `./…` in this one. */
export const shortener =
  (home: string, here: string) =>
  (path: string): string => {
    if (path === here) return '.';
    if (here !== home && path.startsWith(here + sep)) return `.${path.slice(here.length)}`;
    return path === home ? '~' : path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path;
  };

/** What to do, below what it is about; nothing where nobody knows. */
export const renderHint = (hint: string | undefined, style: Style): string[] =>
  hint === undefined ? [] : [`   ${style.bold('hint:')} ${visible(hint)}`];

/** `label  value` lines under each other; without a value the line is left out. */
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
