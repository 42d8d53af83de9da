/** What an app registers, checked before any of it is accepted. Members that are not known are ignored. */
import type { ByteText } from '../../../core/wire/byte-text.ts';
import { findMember, readElements } from '../../../core/wire/members.ts';
import { DEFAULT_LIMITS } from '../../../core/limits.ts';
import type { RegistrationLimits } from './limits.ts';
import { readString } from './read-string.ts';
import { membersOf, registrationText } from './read-text.ts';
import { readTool } from './read-tool.ts';
import { refuse, tooLarge } from './refuse.ts';
import type { AppTool, Registration } from '../sessions/session.ts';

/**
 * `body` is JSON text, or a value that JSON can write. Only `tools`, and the name of each, must be there. Throws a
 * `PincerError` that begins with the place of what is wrong.
 */
export function readRegistration(body: unknown, limits: RegistrationLimits = DEFAULT_LIMITS): Registration {
  const members = membersOf(registrationText(body, limits.maxRegistrationBytes), 'body');
  const label = (key: string): string | undefined => readString(members, key, key, limits.maxLabelChars);
  return {
    deviceId: label('device_id'),
    deviceName: label('device_name'),
    appVersion: label('app_version'),
    chatId: label('chat_id'),
    tools: readTools(findMember(members, 'tools'), limits),
  };
}

/** A list of tools by itself, as an app sends it whose tools have changed; `raw` is JSON. It may be empty. */
export function readTools(
  raw: ByteText | undefined,
  limits: RegistrationLimits = DEFAULT_LIMITS,
): readonly AppTool[] {
  if (raw === undefined) throw refuse('tools', 'is missing', LIST_HINT);
  if (!raw.startsWith('[')) throw refuse('tools', 'must be a JSON array', LIST_HINT);
  const entries = readElements(raw);
  if (entries.length > limits.maxToolsPerSession)
    throw tooLarge('tools', 'entries', limits.maxToolsPerSession);
  const tools = entries.map((entry, index) => readTool(entry, `tools[${index}]`, limits));
  assertUnique(tools);
  return tools;
}

const LIST_HINT = 'Send the tools as a list: "tools":[{"name":"echo_text",…}].';

function assertUnique(tools: readonly AppTool[]): void {
  const first = new Map<string, number>();
  for (const [index, { name }] of tools.entries()) {
    const earlier = first.get(name);
    if (earlier !== undefined)
      throw refuse(
        `tools[${index}].name`,
        `"${name}" is the name of tools[${earlier}] too`,
        'Each tool of a session has a name of its own.',
      );
    first.set(name, index);
  }
}
