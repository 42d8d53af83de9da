/** Validates one message of A2UI v0.8. Pure. */
import { isRecord } from '../../../lib/record.ts';
import type { Limits } from '../../../core/limits.ts';

/** Limits of A2UI. */
export type A2uiLimits = Pick<
  Limits,
  | 'maxA2uiBytes'
  | 'maxA2uiLines'
  | 'maxA2uiLineBytes'
  | 'maxA2uiDepth'
  | 'maxA2uiDataEntries'
  | 'maxA2uiKeyChars'
  | 'maxA2uiStringChars'
  | 'maxA2uiSurfaces'
  | 'maxA2uiComponents'
  | 'maxA2uiStateBytes'
>;

export const A2UI_VERSION = '0.8';

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

/** The message completes the sentence "Invalid A2UI message on line 3: …". */
export class A2uiError extends Error {}

export function readMessage(value: unknown, limits: A2uiLimits): Message {
  if (!isRecord(value)) throw new A2uiError('it is not an object');
  const newer = NEWER.find((name) => name in value);
  if (newer !== undefined) throw new A2uiError(`${newer} is A2UI v0.9; this canvas supports v0.8`);
  const [kind, ...others] = KINDS.filter((name) => name in value);
  if (kind === undefined || others.length > 0) throw new A2uiError(`it needs one of ${KINDS.join(', ')}`);
  checkSize(value, limits);
  const body = value[kind];
  if (!isRecord(body)) throw new A2uiError(`${kind} is not an object`);
  const surfaceId = textOf(body, 'surfaceId', limits);
  switch (kind) {
    case 'surfaceUpdate':
      return {
        kind,
        surfaceId,
        components: listOf(body, 'components').map((each) => readComponent(each, limits)),
      };
    case 'beginRendering': {
      const { styles, catalogId } = body;
      return {
        kind,
        surfaceId,
        root: textOf(body, 'root', limits),
        styles: isRecord(styles) ? styles : {},
        ...(typeof catalogId === 'string' ? { catalogId } : {}),
      };
    }
    case 'dataModelUpdate':
      return { kind, surfaceId, path: pathOf(body), contents: readEntries(listOf(body, 'contents'), limits) };
    case 'deleteSurface':
      return { kind, surfaceId };
  }
}

function readComponent(value: unknown, limits: A2uiLimits): Component {
  if (!isRecord(value)) throw new A2uiError('a component is not an object');
  const id = textOf(value, 'id', limits);
  const { component, weight } = value;
  const [type, ...others] = isRecord(component) ? Object.keys(component) : [];
  if (type === undefined || others.length > 0)
    throw new A2uiError(`component ${JSON.stringify(id)} needs exactly one type`);
  if (!isComponentType(type))
    throw new A2uiError(
      `component ${JSON.stringify(id)} has an unknown type. Known types: ${COMPONENTS.join(', ')}`,
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

function readEntries(entries: readonly unknown[], limits: A2uiLimits): DataEntry[] {
  let count = 0;
  const read = (list: readonly unknown[]): DataEntry[] =>
    list.map((entry) => {
      if (++count > limits.maxA2uiDataEntries)
        throw new A2uiError(`it has more than ${limits.maxA2uiDataEntries} data entries`);
      if (!isRecord(entry)) throw new A2uiError('a data entry is not an object');
      const key = textOf(entry, 'key', limits);
      const [name, ...others] = VALUES.filter((each) => each in entry);
      if (name === undefined || others.length > 0)
        throw new A2uiError(`data entry ${JSON.stringify(key)} needs one of ${VALUES.join(', ')}`);
      const value = entry[name];
      if (name === 'valueMap' && !Array.isArray(value))
        throw new A2uiError(`valueMap of ${JSON.stringify(key)} is not a list`);
      return Array.isArray(value) ? { key, entries: read(value) } : { key, value };
    });
  return read(entries);
}

function textOf(from: Json, name: string, { maxA2uiKeyChars }: A2uiLimits): string {
  const value = from[name];
  if (typeof value !== 'string' || value === '') throw new A2uiError(`${name} is missing`);
  if (value.length > maxA2uiKeyChars)
    throw new A2uiError(`${name} has more than ${maxA2uiKeyChars} characters`);
  return value;
}

function listOf(from: Json, name: string): readonly unknown[] {
  const value = from[name];
  if (!Array.isArray(value)) throw new A2uiError(`${name} is not a list`);
  return value;
}

function pathOf({ path }: Json): string {
  return typeof path === 'string' ? path : '/';
}

/** Checks the length of all strings and names, and the depth. */
function checkSize(value: unknown, limits: A2uiLimits, depth = 1): void {
  const { maxA2uiStringChars, maxA2uiKeyChars, maxA2uiDepth } = limits;
  if (typeof value === 'string' && value.length > maxA2uiStringChars)
    throw new A2uiError(`a string has more than ${maxA2uiStringChars} characters`);
  if (typeof value !== 'object' || value === null) return;
  if (depth > maxA2uiDepth) throw new A2uiError(`it is nested deeper than ${maxA2uiDepth} levels`);
  for (const [name, member] of Object.entries(value)) {
    if (name.length > maxA2uiKeyChars)
      throw new A2uiError(`a name has more than ${maxA2uiKeyChars} characters`);
    checkSize(member, limits, depth + 1);
  }
}
