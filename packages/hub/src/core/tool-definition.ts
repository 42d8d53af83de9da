import type { ToolDefinition } from './catalog.ts';
import { isRecord } from './is-record.ts';
import { jsonBytes, parseBytes, type ByteText } from './wire/byte-text.ts';
import { findMember, isObject, readElements, readMembers, writeMembers } from './wire/members.ts';

/** The `tools` of a `tools/list` result. One entry that clients would choke on is left out, not the list. */
export function parseToolList(result: ByteText): { tools: ToolDefinition[]; nextCursor: string | undefined } {
  const members = isObject(result) ? readMembers(result) : [];
  const list = findMember(members, 'tools');
  const cursor = findMember(members, 'nextCursor');
  const elements = list?.startsWith('[') ? readElements(list) : [];
  return {
    tools: elements.flatMap((raw) => parseToolDefinition(detached(raw)) ?? []),
    nextCursor: cursor?.startsWith('"') ? (parseBytes(cursor) as string) : undefined,
  };
}

/** A copy of its own: a slice would keep the whole page that it was cut from. */
const detached = (raw: ByteText): ByteText => Buffer.from(raw, 'latin1').toString('latin1');

export function parseToolDefinition(raw: ByteText): ToolDefinition | undefined {
  if (!isObject(raw) || hasTwins(raw)) return undefined;
  const { name, inputSchema, annotations } = parseBytes(raw) as Record<string, unknown>;
  if (typeof name !== 'string' || name === '' || !isRecord(inputSchema)) return undefined;
  const hints = isRecord(annotations) ? annotations : {};
  return {
    name,
    raw,
    readOnly: hints['readOnlyHint'] === true,
  };
}

/** A definition with two names would be one tool to Pincer and another to the client. */
function hasTwins(raw: ByteText): boolean {
  try {
    readMembers(raw);
    return false;
  } catch {
    return true;
  }
}

/** The definition under another name; every other byte as it came. */
export const renameTool = (definition: ToolDefinition, name: string): ByteText =>
  name === definition.name
    ? definition.raw
    : writeMembers(readMembers(definition.raw), { name: jsonBytes(name) });
