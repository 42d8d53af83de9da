import type { ToolDefinition } from './catalog.ts';
import { fromByteText, jsonBytes, parseBytes, type ByteText } from './wire/byte-text.ts';
import { findMember, isObject, readElements, readMembers, writeMembers } from './wire/members.ts';

/** The `tools` of a `tools/list` result; entries without a name or an object schema are left out. */
export function parseToolList(result: ByteText): { tools: ToolDefinition[]; nextCursor: string | undefined } {
  const members = isObject(result) ? readMembers(result) : [];
  const list = findMember(members, 'tools');
  const cursor = findMember(members, 'nextCursor');
  const elements = list?.startsWith('[') ? readElements(list) : [];
  return {
    tools: elements.flatMap((raw) => parseToolDefinition(raw) ?? []),
    nextCursor: cursor?.startsWith('"') ? (parseBytes(cursor) as string) : undefined,
  };
}

export function parseToolDefinition(raw: ByteText): ToolDefinition | undefined {
  if (!isObject(raw)) return undefined;
  const value = JSON.parse(fromByteText(raw)) as Record<string, unknown>;
  const { name, annotations } = value;
  if (typeof name !== 'string' || name === '') return undefined;
  const hints = (typeof annotations === 'object' && annotations !== null ? annotations : {}) as Record<
    string,
    unknown
  >;
  return {
    name,
    raw,
    readOnly: hints['readOnlyHint'] === true,
    idempotent: hints['idempotentHint'] === true,
  };
}

/** The definition under another name; every other byte as it came. */
export const renameTool = (definition: ToolDefinition, name: string): ByteText =>
  name === definition.name
    ? definition.raw
    : writeMembers(readMembers(definition.raw), { name: jsonBytes(name) });
