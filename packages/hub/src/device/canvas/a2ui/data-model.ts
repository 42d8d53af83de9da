/** The data of a surface: plain JSON that paths lead into. Nothing is changed in place. Pure. */
import { isRecord } from '../../../lib/is-record.ts';
import type { DataEntry, Json } from './message.ts';

/** `/user/name`, `user.name` and `items[0]/name` lead to the same places as in other renderers. */
export const segmentsOf = (path: string): string[] =>
  path
    .replaceAll(/\[(\d+)\]/g, '/$1')
    .split(/[/.]/)
    .filter((segment) => segment !== '');

/** Relative paths begin where the component stands: at an item of a list, or at the top. */
export const absolutePath = (path: string, context: string): string =>
  path.startsWith('/') ? path : `${context.replace(/\/$/, '')}/${path === '.' ? '' : path}`;

export function valueAt(model: unknown, path: string): unknown {
  let value = model;
  for (const segment of segmentsOf(path)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = (value as Json)[segment];
  }
  return value;
}

/** The model with another value at a path; what is missing on the way is made. */
export function withValue(model: unknown, path: string | readonly string[], value: unknown): unknown {
  const [segment, ...rest] = typeof path === 'string' ? segmentsOf(path) : path;
  if (segment === undefined) return value;
  if (Array.isArray(model)) {
    const at = /^\d{1,6}$/.test(segment) ? Number(segment) : Number.NaN;
    // A list grows at its end alone.
    return at <= model.length ? model.toSpliced(at, 1, withValue(model[at], rest, value)) : model;
  }
  const members = isRecord(model) ? model : {};
  const inner = Object.hasOwn(members, segment) ? members[segment] : undefined;
  return ownMembers([...Object.entries(members), [segment, withValue(inner, rest, value)]]);
}

/** Entries as A2UI writes them, as plain JSON. One alone under the key `.` is the value itself. */
export function fromEntries(entries: readonly DataEntry[], maxDepth: number): unknown {
  const [first, ...others] = entries;
  if (first?.key === '.' && others.length === 0) return valueOf(first, maxDepth);
  let model: unknown = ownMembers([]);
  for (const entry of entries) model = withValue(model, entry.key, valueOf(entry, maxDepth));
  return model;
}

function valueOf({ value, entries }: DataEntry, maxDepth: number): unknown {
  if (entries !== undefined) return fromEntries(entries, maxDepth);
  return typeof value === 'string' ? maybeJson(value, maxDepth) : (value ?? null);
}

/** Lists have no form of their own in v0.8: they come as text, which other renderers read, too. */
function maybeJson(text: string, maxDepth: number): unknown {
  const plain = text.trim();
  if (!/^(?:\{[^]*\}|\[[^]*\])$/.test(plain)) return text;
  try {
    const value: unknown = JSON.parse(plain);
    return isWithin(value, maxDepth) ? value : text;
  } catch {
    return text;
  }
}

const isWithin = (value: unknown, depth: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 && Object.values(value).every((member) => isWithin(member, depth - 1)));

/** Names such as `__proto__` are members like others. */
const ownMembers = (entries: readonly (readonly [string, unknown])[]): Json => {
  const members: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of entries) members[name] = value;
  return members;
};
