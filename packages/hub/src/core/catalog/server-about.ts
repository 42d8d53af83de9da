/** What a server says about itself in its first answer. */
import { META_KEY, type Era } from '../protocol.ts';
import { detached, type ByteText } from '../wire/byte-text.ts';
import { memberAt, isObject, writeMembers } from '../wire/members.ts';
import { plainString } from '../wire/message.ts';

export interface ServerAbout {
  /** All of it as one JSON object, for `readAbout`. */
  readonly raw: ByteText;
  /** The era in which the server was asked for this and for its lists. */
  readonly era: Era;
  /** A whole JSON object. */
  readonly capabilities: ByteText;
  /** A whole JSON object. */
  readonly serverInfo: ByteText | undefined;
  readonly instructions: string | undefined;
  /** The value of a capability by its path: `capability('resources', 'subscribe')`. */
  capability(...path: readonly string[]): ByteText | undefined;
  has(...path: readonly string[]): boolean;
}

/** Reads the result of `initialize` or `server/discover`. Unreadable parts are ignored. */
export function readIntroduction(result: ByteText, era: Era): ServerAbout {
  const instructions = legibleAt(result, ['instructions']);
  return readAbout(
    writeMembers([], {
      era: `"${era}"`,
      capabilities: objectAt(result, 'capabilities') ?? '{}',
      serverInfo: objectAt(result, 'serverInfo') ?? objectAt(result, '_meta', META_KEY.serverInfo),
      instructions: instructions?.startsWith('"') ? instructions : undefined,
    }),
  );
}

/** Reads the `raw` text of another `ServerAbout`. */
export function readAbout(text: ByteText): ServerAbout {
  const raw = detached(text);
  const capabilities = objectAt(raw, 'capabilities') ?? '{}';
  const instructions = legibleAt(raw, ['instructions']);
  const capability = (...path: readonly string[]): ByteText | undefined => legibleAt(capabilities, path);
  return {
    raw,
    era: legibleAt(raw, ['era']) === '"modern"' ? 'modern' : 'legacy',
    capabilities,
    serverInfo: objectAt(raw, 'serverInfo'),
    instructions: instructions === undefined ? undefined : plainString(instructions),
    capability,
    has(...path) {
      const value = capability(...path);
      return value !== undefined && value !== 'false' && value !== 'null';
    },
  };
}

export const EMPTY_ABOUT: ServerAbout = readIntroduction('{}', 'legacy');

function objectAt(result: ByteText, ...path: readonly string[]): ByteText | undefined {
  const raw = legibleAt(result, path);
  return raw !== undefined && isObject(raw) ? raw : undefined;
}

/** Duplicate keys do not make a server unusable: the value is ignored. */
function legibleAt(root: ByteText, path: readonly string[]): ByteText | undefined {
  try {
    return memberAt(root, path);
  } catch {
    return undefined;
  }
}
