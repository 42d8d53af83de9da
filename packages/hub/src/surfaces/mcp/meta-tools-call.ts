/** `call_tool`: the arguments of the one call are the parameters of another. */
import { toByteText, type ByteText } from '../../core/wire/byte-text.ts';
import { editMembers, findMember, isObject, type Member } from '../../core/wire/members.ts';
import { plainString } from '../../core/wire/message.ts';
import { isModest } from '../../core/wire/modest.ts';
import { META_TOOL } from './meta-tools-definitions.ts';

/** Either the members of `params` as if the tool had been called by its own name, or what is wrong. */
export type Unwrapped = { readonly params: readonly Member[] } | { readonly mistake: string };

const SHAPE = `${META_TOOL.call} takes {"name": "…", "arguments": {…}}`;

/** Every other member of `params` stays: what belongs to the call belongs to the tool. */
export function unwrapCall(params: readonly Member[], given: readonly Member[]): Unwrapped {
  const name = findMember(given, 'name');
  if (!name?.startsWith('"')) return { mistake: `${SHAPE}, and "name" is a string.` };
  const stray = given.find(({ key }) => key !== 'name' && key !== 'arguments');
  if (stray !== undefined)
    return { mistake: `${SHAPE}: ${JSON.stringify(stray.key)} belongs inside of "arguments".` };
  const wrapped = findMember(given, 'arguments');
  const args = wrapped === undefined ? undefined : objectIn(wrapped);
  if (wrapped !== undefined && args === undefined)
    return { mistake: `${SHAPE}, and "arguments" is an object.` };
  return { params: editMembers(params, { name, arguments: args }) };
}

/** Models that are given an object without a shape often write it as text: then what the text says is meant. */
function objectIn(raw: ByteText): ByteText | undefined {
  if (isObject(raw)) return raw;
  const text = raw.startsWith('"') ? toByteText(plainString(raw)).trim() : '';
  return isObject(text) && isModest(text) && isJson(text) ? text : undefined;
}

function isJson(text: ByteText): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
