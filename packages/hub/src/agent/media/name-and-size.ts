/** File names that are safe to show and pass on, and sizes for sentences. */
import { HIDDEN_IN_LINE, replaceHidden } from '../../core/trust/hidden-characters.ts';

export const MAX_NAME_CHARS = 200;
/** A longer suffix is not an extension. */
const MAX_ENDING = 16;
/** Characters that Windows does not allow in names; a colon also names a drive or a stream. */
const FORBIDDEN = /[<>:"|?*]/g;

/** Removes folders, hidden and forbidden characters, and shortens the name. Returns undefined if nothing is left. */
export function safeName(given: string): string | undefined {
  // Hidden characters first: one could be between two dots.
  const seen = replaceHidden(given.slice(-4 * MAX_NAME_CHARS), HIDDEN_IN_LINE, () => '');
  const last = seen.slice(Math.max(seen.lastIndexOf('/'), seen.lastIndexOf('\\')) + 1);
  const name = shortened(withoutEdges(last.replaceAll(FORBIDDEN, '_')));
  return name === '' ? undefined : name;
}

/** Windows drops dots and spaces at the end, and a name of dots alone is a folder. */
const withoutEdges = (name: string): string => name.trim().replace(/[. ]+$/, '');

function shortened(name: string): string {
  if (name.length <= MAX_NAME_CHARS) return name;
  const dot = name.lastIndexOf('.');
  const ending = dot > 0 && name.length - dot <= MAX_ENDING ? name.slice(dot) : '';
  return withEnding(name, ending);
}

/** Appends an extension, and shortens the name if needed. */
export const withEnding = (name: string, ending: string): string =>
  name.slice(0, MAX_NAME_CHARS - ending.length).replace(HALF_OF_PAIR, '') + ending;

const HALF_OF_PAIR = /[\ud800-\udbff]$/;

const MiB = 1024 * 1024;

/** A readable size, rounded up, so that a size over a limit never looks as if it were within. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  const [unit, name] = bytes < MiB ? [1024, 'KB'] : [MiB, 'MB'];
  return `${Math.ceil((bytes * 10) / unit) / 10} ${name}`;
}
