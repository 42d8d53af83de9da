/** Whether what an app gave is MCP content already. */
import type { ByteText } from '../../core/wire/byte-text.ts';
import { findMember, isObject, readElements, readMembers, type Member } from '../../core/wire/members.ts';
import { plainString } from '../../core/wire/message.ts';

/** An empty array is a value like others: as content it would tell nobody anything. */
export function areContentBlocks(json: ByteText): boolean {
  if (!json.startsWith('[')) return false;
  const elements = readElements(json);
  return elements.length > 0 && elements.every(isContentBlock);
}

function isContentBlock(raw: ByteText): boolean {
  const block = membersOf(raw);
  switch (stringOf(block, 'type') ?? '') {
    case 'text':
      return stringOf(block, 'text') !== undefined;
    case 'image':
    case 'audio':
      return isBase64(stringOf(block, 'data')) && stringOf(block, 'mimeType') !== undefined;
    case 'resource_link':
      return stringOf(block, 'uri') !== undefined && stringOf(block, 'name') !== undefined;
    case 'resource':
      return isResource(membersOf(findMember(block, 'resource') ?? ''));
    default:
      return false;
  }
}

const isResource = (resource: readonly Member[]): boolean =>
  stringOf(resource, 'uri') !== undefined &&
  (stringOf(resource, 'text') !== undefined || isBase64(stringOf(resource, 'blob')));

/** None where it is no object, or has a name twice: what that means is not for us to choose. */
function membersOf(raw: ByteText): readonly Member[] {
  try {
    return isObject(raw) ? readMembers(raw) : [];
  } catch {
    return [];
  }
}

function stringOf(members: readonly Member[], key: string): string | undefined {
  const raw = findMember(members, key);
  return raw?.startsWith('"') === true ? plainString(raw) : undefined;
}

const PADDING = /={1,2}$/;
const NO_BASE64 = /[^A-Za-z0-9+/]/;

/** Clients refuse a whole result in which it is none. */
const isBase64 = (data: string | undefined): boolean =>
  data !== undefined && data.length % 4 === 0 && !NO_BASE64.test(data.replace(PADDING, ''));
