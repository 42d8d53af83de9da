/** The legacy era's other way of asking: an error that sends the person to a web page (-32042, 2025-11-25 "URL mode"). */
import { RPC } from '../protocol.ts';
import type { ByteText } from '../wire/byte-text.ts';
import { findMember, isObject, readElements, readMembers, writeMembers } from '../wire/members.ts';
import type { InputRequest } from './input-required.ts';

const CODE = String(RPC.urlElicitationRequired);

/** The questions of such an error as the modern era has them; undefined: it is another error. */
export function readUrlRequired(error: ByteText): InputRequest[] | undefined {
  if (!isObject(error)) return undefined;
  const members = readMembers(error);
  const data = findMember(members, 'data');
  if (findMember(members, 'code') !== CODE || data === undefined || !isObject(data)) return undefined;
  const elicitations = findMember(readMembers(data), 'elicitations');
  if (!elicitations?.startsWith('[')) return undefined;
  const requests = readElements(elicitations)
    .filter(isObject)
    .map((each, index) => ({
      key: `elicitation_url_${index + 1}`,
      method: 'elicitation/create',
      params: writeMembers(readMembers(each), { mode: '"url"', elicitationId: undefined }),
    }));
  return requests.length > 0 ? requests : undefined;
}
