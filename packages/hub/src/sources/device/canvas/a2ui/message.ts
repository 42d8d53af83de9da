/** One message of A2UI v0.8: what it must be like before it is taken. Pure. */
import { isRecord } from '../../../../core/is-record.ts';
import { A2UI_LIMITS } from './limits.ts';

export const COMPONENTS = [
  'Row',
  'Column',
  'List',
  'Card',
  'Tabs',
  'Modal',
  'Divider',
  'Text',
  'Image',
  'Icon',
  'Video',
  'AudioPlayer',
  'Button',
  'CheckBox',
  'TextField',
  'DateTimeInput',
  'MultipleChoice',
  'Slider',
] as const;

export type ComponentType = (typeof COMPONENTS)[number];
export type Json = Readonly<Record<string, unknown>>;

export interface Component {
  readonly id: string;
  readonly type: ComponentType;
  readonly props: Json;
  readonly weight?: number;
}

/** Either a value, or entries within it. */
export interface DataEntry {
  readonly key: string;
  readonly value?: unknown;
  readonly entries?: readonly DataEntry[];
}

export type Message =
  | { readonly kind: 'surfaceUpdate'; readonly surfaceId: string; readonly components: readonly Component[] }
  | {
      readonly kind: 'beginRendering';
      readonly surfaceId: string;
      readonly root: string;
      readonly catalogId?: string;
      readonly styles: Json;
    }
  | {
      readonly kind: 'dataModelUpdate';
      readonly surfaceId: string;
      readonly path: string;
      readonly contents: readonly DataEntry[];
    }
  | { readonly kind: 'deleteSurface'; readonly surfaceId: string };

const KINDS = ['surfaceUpdate', 'beginRendering', 'dataModelUpdate', 'deleteSurface'] as const;
const NEWER = ['createSurface', 'updateComponents', 'updateDataModel'];
const VALUES = ['valueString', 'valueNumber', 'valueBoolean', 'valueMap'];

/** Its text is the end of a sentence about a line. */
export class A2uiError extends Error {}

export function readMessage(value: unknown): Message {
  if (!isRecord(value)) throw new A2uiError('it is no object');
  const newer = NEWER.find((name) => name in value);
  if (newer !== undefined) throw new A2uiError(`${newer} is A2UI v0.9; this canvas speaks v0.8`);
  const [kind, ...others] = KINDS.filter((name) => name in value);
  if (kind === undefined || others.length > 0) throw new A2uiError(`it needs one of ${KINDS.join(', ')}`);
  checkSize(value);
  const body = value[kind];
  if (!isRecord(body)) throw new A2uiError(`${kind} is no object`);
  const surfaceId = textOf(body, 'surfaceId');
  switch (kind) {
    case 'surfaceUpdate':
      return { kind, surfaceId, components: listOf(body, 'components').map(readComponent) };
    case 'beginRendering': {
      const { styles, catalogId } = body;
      return {
        kind,
        surfaceId,
        root: textOf(body, 'root'),
        styles: isRecord(styles) ? styles : {},
        ...(typeof catalogId === 'string' ? { catalogId } : {}),
      };
    }
    case 'dataModelUpdate':
      return { kind, surfaceId, path: pathOf(body), contents: readEntries(listOf(body, 'contents')) };
    case 'deleteSurface':
      return { kind, surfaceId };
  }
}

function readComponent(value: unknown): Component {
  if (!isRecord(value)) throw new A2uiError('a component is no object');
  const id = textOf(value, 'id');
  const { component, weight } = value;
  const [type, ...others] = isRecord(component) ? Object.keys(component) : [];
  if (type === undefined || others.length > 0)
    throw new A2uiError(`component ${JSON.stringify(id)} needs exactly one type`);
  if (!isComponentType(type))
    throw new A2uiError(
      `component ${JSON.stringify(id)} has a type that is none of ${COMPONENTS.join(', ')}`,
    );
  const props = (component as Json)[type];
  return {
    id,
    type,
    props: isRecord(props) ? props : {},
    ...(typeof weight === 'number' && weight >= 0 ? { weight } : {}),
  };
}

const isComponentType = (type: string): type is ComponentType =>
  (COMPONENTS as readonly string[]).includes(type);

function readEntries(entries: readonly unknown[]): DataEntry[] {
  let count = 0;
  const read = (list: readonly unknown[]): DataEntry[] =>
    list.map((entry) => {
      if (++count > A2UI_LIMITS.maxDataEntries)
        throw new A2uiError(`it has more than ${A2UI_LIMITS.maxDataEntries} data entries`);
      if (!isRecord(entry)) throw new A2uiError('a data entry is no object');
      const key = textOf(entry, 'key');
      const [name, ...others] = VALUES.filter((each) => each in entry);
      if (name === undefined || others.length > 0)
        throw new A2uiError(`data entry ${JSON.stringify(key)} needs one of ${VALUES.join(', ')}`);
      const value = entry[name];
      if (name === 'valueMap' && !Array.isArray(value))
        throw new A2uiError(`valueMap of ${JSON.stringify(key)} is no list`);
      return Array.isArray(value) ? { key, entries: read(value) } : { key, value };
    });
  return read(entries);
}

function textOf(from: Json, name: string): string {
  const value = from[name];
  if (typeof value !== 'string' || value === '') throw new A2uiError(`${name} is missing`);
  if (value.length > A2UI_LIMITS.maxKeyChars)
    throw new A2uiError(`${name} has more than ${A2UI_LIMITS.maxKeyChars} characters`);
  return value;
}

function listOf(from: Json, name: string): readonly unknown[] {
  const value = from[name];
  if (!Array.isArray(value)) throw new A2uiError(`${name} is no list`);
  return value;
}

function pathOf({ path }: Json): string {
  return typeof path === 'string' ? path : '/';
}

/** Strings, names and depth, wherever they are. */
function checkSize(value: unknown, depth = 1): void {
  if (typeof value === 'string' && value.length > A2UI_LIMITS.maxStringChars)
    throw new A2uiError(`a string has more than ${A2UI_LIMITS.maxStringChars} characters`);
  if (typeof value !== 'object' || value === null) return;
  if (depth > A2UI_LIMITS.maxDepth)
    throw new A2uiError(`it is nested deeper than ${A2UI_LIMITS.maxDepth} levels`);
  for (const [name, member] of Object.entries(value)) {
    if (name.length > A2UI_LIMITS.maxKeyChars)
      throw new A2uiError(`a name has more than ${A2UI_LIMITS.maxKeyChars} characters`);
    checkSize(member, depth + 1);
  }
}
