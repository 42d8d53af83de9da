/** What a server says of itself when it is first asked. */
import { META_KEY, type Era } from '../protocol.ts';
import { detached, type ByteText } from '../wire/byte-text.ts';
import { memberAt, isObject, writeMembers } from '../wire/members.ts';
import { plainString } from '../wire/message.ts';

export interface ServerAbout {
  /** All of it as one JSON object, which `readAbout` reads again. */
  readonly raw: ByteText;
  /** In which it was asked, here and for its lists. */
  readonly era: Era;
  /** A whole JSON object. */
  readonly capabilities: ByteText;
  /** A whole JSON object. */
  readonly serverInfo: ByteText | undefined;
  readonly instructions: string | undefined;
  /** What it says of a capability, by the keys that lead there: `capability('resources', 'subscribe')`. */
  capability(...path: readonly string[]): ByteText | undefined;
  has(...path: readonly string[]): boolean;
}

/** Reads the result of `initialize` or of `server/discover`. What is not legible in it counts as not said. */
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

/** Reads what `raw` of another one was. */
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
      const said = capability(...path);
      return said !== undefined && said !== 'false' && said !== 'null';
    },
  };
}

export const NOTHING_SAID: ServerAbout = readIntroduction('{}', 'legacy');

function objectAt(result: ByteText, ...path: readonly string[]): ByteText | undefined {
  const raw = legibleAt(result, path);
  return raw !== undefined && isObject(raw) ? raw : undefined;
}

/** A key that is there twice makes no server unusable: it has then said nothing. */
function legibleAt(root: ByteText, path: readonly string[]): ByteText | undefined {
  try {
    return memberAt(root, path);
  } catch {
    return undefined;
  }
}
