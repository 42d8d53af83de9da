/** The surfaces of the canvas and their data, after each message; and the redacted dump of them. Pure. */
import { HIDDEN, hideSecrets } from '../../../core/redact/redact-secrets.ts';
import { isSecretName } from '../../../core/redact/secret-names.ts';
import { isRecord } from '../../../lib/record.ts';
import {
  A2uiError,
  type Component,
  type Json,
  type Message,
  type A2uiLimits,
  type DataEntry,
  A2UI_VERSION,
} from './message.ts';

export interface Surface {
  readonly components: ReadonlyMap<string, Component>;
  /** Absent: nothing is shown yet. */
  readonly root?: string;
  readonly catalogId?: string;
  readonly styles: Json;
  readonly data: unknown;
  /** The session that pushed last. Clicks go there. */
  readonly sessionKey?: string;
}

export type Surfaces = ReadonlyMap<string, Surface>;

const EMPTY: Surface = { components: new Map(), styles: {}, data: {} };

interface Push {
  /** The session of the agent that receives later clicks. */
  readonly sessionKey?: string | undefined;
  readonly limits: A2uiLimits;
}

/** Returns the changed surfaces. Throws A2uiError if a limit would be exceeded. */
export function applyMessages(
  surfaces: Surfaces,
  messages: readonly Message[],
  { sessionKey, limits }: Push,
): Surfaces {
  const next = new Map(surfaces);
  for (const message of messages) {
    if (message.kind === 'deleteSurface') next.delete(message.surfaceId);
    else {
      const surface = { ...(next.get(message.surfaceId) ?? EMPTY), ...(sessionKey ? { sessionKey } : {}) };
      next.set(message.surfaceId, changed(surface, message, limits));
    }
    if (next.size > limits.maxA2uiSurfaces)
      throw new A2uiError(`there would be more than ${limits.maxA2uiSurfaces} surfaces`);
  }
  if (JSON.stringify([...next.values()].map(plain)).length > limits.maxA2uiStateBytes)
    throw new A2uiError(`the surfaces would have more than ${limits.maxA2uiStateBytes} bytes`);
  return next;
}

function changed(
  surface: Surface,
  message: Exclude<Message, { kind: 'deleteSurface' }>,
  { maxA2uiComponents, maxA2uiDepth }: A2uiLimits,
): Surface {
  switch (message.kind) {
    case 'surfaceUpdate': {
      const components = new Map(surface.components);
      for (const component of message.components) components.set(component.id, component);
      if (components.size > maxA2uiComponents)
        throw new A2uiError(`a surface would have more than ${maxA2uiComponents} components`);
      return { ...surface, components };
    }
    case 'beginRendering': {
      const { root, styles, catalogId } = message;
      return { ...surface, root, styles, ...(catalogId === undefined ? {} : { catalogId }) };
    }
    case 'dataModelUpdate':
      return withData(surface, message.path, fromEntries(message.contents, maxA2uiDepth), maxA2uiDepth);
  }
}

export const withData = (surface: Surface, path: string, value: unknown, maxDepth: number): Surface => {
  const segments = segmentsOf(path);
  if (segments.length > maxDepth) throw new A2uiError('a path is too long');
  return { ...surface, data: withValue(surface.data, segments, value) };
};

/** The form for the page and the dump. */
export const plain = ({ components, ...rest }: Surface): Json => ({
  ...rest,
  components: Object.fromEntries(components),
});

/** Accepts `/user/name`, `user.name` and `items[0]/name`, as other renderers do. */
export const segmentsOf = (path: string): string[] =>
  path
    .replaceAll(/\[(\d+)\]/g, '/$1')
    .split(/[/.]/)
    .filter((segment) => segment !== '');

/** Relative paths start at the component: at an item of a list, or at the root. */
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

/** The model with a changed value. Creates missing members on the path. */
export function withValue(model: unknown, path: string | readonly string[], value: unknown): unknown {
  const [segment, ...rest] = typeof path === 'string' ? segmentsOf(path) : path;
  if (segment === undefined) return value;
  if (Array.isArray(model)) {
    const at = /^\d{1,6}$/.test(segment) ? Number(segment) : Number.NaN;
    // Lists only grow at the end.
    return at <= model.length ? model.toSpliced(at, 1, withValue(model[at], rest, value)) : model;
  }
  const members = isRecord(model) ? model : {};
  const inner = Object.hasOwn(members, segment) ? members[segment] : undefined;
  return ownMembers([...Object.entries(members), [segment, withValue(inner, rest, value)]]);
}

/** Converts A2UI entries to plain JSON. A single entry with the key `.` is the value itself. */
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

/** v0.8 has no lists: agents send them as JSON text, which other renderers parse, too. */
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

/** Names such as `__proto__` are ordinary members. */
const ownMembers = (entries: readonly (readonly [string, unknown])[]): Json => {
  const members: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of entries) members[name] = value;
  return members;
};

export const dumpOf = (surfaces: Surfaces): Json => ({
  renderer: surfaces.size === 0 ? 'none' : 'web',
  a2uiVersion: A2UI_VERSION,
  surfaceCount: surfaces.size,
  surfaces: Object.fromEntries([...surfaces].map(([id, surface]) => [id, dumpSurface(surface)])),
});

function dumpSurface({ components, root, catalogId, styles, data }: Surface): Json {
  const obscured = [...components.values()].filter(
    ({ type, props }) => type === 'TextField' && props['textFieldType'] === 'obscured',
  );
  // Hides the values that obscured text fields are bound to.
  let model = data;
  for (const { props } of obscured) {
    const path = isRecord(props['text']) ? props['text']['path'] : undefined;
    if (typeof path === 'string' && path.startsWith('/') && valueAt(model, path) !== undefined)
      model = withValue(model, path, HIDDEN);
    else if (typeof path === 'string') model = withoutNamed(model, segmentsOf(path).at(-1));
  }
  const ids = new Set(obscured.map(({ id }) => id));
  return {
    root: root ?? null,
    ...(catalogId === undefined ? {} : { catalogId }),
    styles: redacted(styles),
    componentCount: components.size,
    components: Object.fromEntries(
      [...components].map(([id, { type, props, weight }]) => [
        id,
        {
          type,
          ...(weight === undefined ? {} : { weight }),
          props: redacted(ids.has(id) ? { ...props, text: hiddenLiteral(props['text']) } : props),
        },
      ]),
    ),
    dataModel: redacted(model),
  };
}

const hiddenLiteral = (text: unknown): unknown =>
  isRecord(text) && 'literalString' in text ? { ...text, literalString: HIDDEN } : text;

/** For a path relative to an item of a list: hides the name in all items. */
function withoutNamed(value: unknown, name: string | undefined): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutNamed(each, name));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, key === name ? HIDDEN : withoutNamed(member, name)]),
  );
}

function redacted(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return isSecretName(name) ? HIDDEN : hideSecrets(value);
  if (Array.isArray(value)) return value.map((each) => redacted(each, name));
  if (!isRecord(value)) return typeof value === 'number' && isSecretName(name) ? HIDDEN : value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, redacted(member, isSecretName(name) ? name : key)]),
  );
}
