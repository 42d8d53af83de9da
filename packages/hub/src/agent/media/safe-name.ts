/** A name that is shown and passed on: never a path, nothing hidden in it, and never too long. */
import { HIDDEN_IN_LINE, replaceHidden } from '../../core/trust/hidden-characters.ts';

export const MAX_NAME_CHARS = 200;
/** Endings longer than this are not endings. */
const MAX_ENDING = 16;
/** What Windows does not allow in a name; a colon also leads to another drive or stream. */
const FORBIDDEN = /[<>:"|?*]/g;

/** Undefined: nothing is left of it. */
export function safeName(given: string): string | undefined {
  // Hidden ones first: they could stand between two dots.
  const seen = replaceHidden(given.slice(-4 * MAX_NAME_CHARS), HIDDEN_IN_LINE, () => '');
  const last = seen.slice(Math.max(seen.lastIndexOf('/'), seen.lastIndexOf('\\')) + 1);
  const name = shortened(withoutEdges(last.replaceAll(FORBIDDEN, '_')));
  return name === '' ? undefined : name;
}

/** Dots and spaces at the end are lost on Windows; a name of nothing else means a folder. */
const withoutEdges = (name: string): string => name.trim().replace(/[. ]+$/, '');

function shortened(name: string): string {
  if (name.length <= MAX_NAME_CHARS) return name;
  const dot = name.lastIndexOf('.');
  const ending = dot > 0 && name.length - dot <= MAX_ENDING ? name.slice(dot) : '';
  return withEnding(name, ending);
}

/** A name with another ending behind it, and of the name what there is room for. */
export const withEnding = (name: string, ending: string): string =>
  name.slice(0, MAX_NAME_CHARS - ending.length).replace(HALF_OF_PAIR, '') + ending;

const HALF_OF_PAIR = /[\ud800-\udbff]$/;
