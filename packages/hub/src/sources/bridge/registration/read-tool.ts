/** One entry of `tools`. */
import { MAX_TOOL_NAME, naturalName } from '../../../core/catalog/tool-name.ts';
import { detached, type ByteText } from '../../../core/wire/byte-text.ts';
import { findMember, type Member } from '../../../core/wire/members.ts';
import type { RegistrationLimits } from './limits.ts';
import { readAnnotations } from './read-annotations.ts';
import { readSchema } from './read-schema.ts';
import { given, readString } from './read-string.ts';
import { membersOf } from './read-text.ts';
import { refuse, shown } from './refuse.ts';
import type { AppTool } from '../sessions/session.ts';

type Read = (raw: ByteText, place: string, limits: RegistrationLimits) => ByteText;

/** A tool that takes nothing need not say so. */
const NO_ARGUMENTS: ByteText = '{"type":"object"}';

export function readTool(raw: ByteText, place: string, limits: RegistrationLimits): AppTool {
  const members = membersOf(raw, place);
  const text = (key: string, max: number): string | undefined =>
    readString(members, key, `${place}.${key}`, max);
  const part = (key: string, read: Read): ByteText | undefined => {
    const found = given(members, key);
    // A slice would keep the whole body that it was cut from.
    return found && detached(read(found, `${place}.${key}`, limits));
  };
  return {
    name: readName(members, `${place}.name`),
    path: text('path', limits.maxToolPathChars),
    title: text('title', limits.maxLabelChars),
    description: text('description', limits.maxToolDescriptionChars),
    inputSchema: part('input_schema', readSchema) ?? NO_ARGUMENTS,
    outputSchema: part('output_schema', readSchema),
    annotations: part('annotations', readAnnotations),
  };
}

const NAME_HINT = `A name has 1 to ${MAX_TOOL_NAME} characters, each a letter from a to z or A to Z, a digit, _ or -.`;

/** Other names are legal in MCP, but models are not given them: their providers take these only. */
function readName(members: readonly Member[], place: string): string {
  if (findMember(members, 'name') === undefined) throw refuse(place, 'is missing', NAME_HINT);
  const name = readString(members, 'name', place, Infinity);
  if (name === undefined) throw refuse(place, 'must be a string', NAME_HINT);
  if (naturalName('', name) !== undefined) return name;
  throw refuse(place, name === '' ? 'is empty' : `"${shown(name)}" is not taken as a name`, NAME_HINT);
}
