/** One text that an app has sent, read once: a frame, or what is wrong with it. */
import { findMember } from '../../../core/wire/members.ts';
import { FrameFaultError, shown, type FrameFault } from './fault.ts';
import type { AppFrame } from './frame.ts';
import { DEFAULT_LIMITS } from '../../../core/limits.ts';
import { FRAME_FORM, type FrameLimits } from './limits.ts';
import {
  optionalError,
  optionalId,
  optionalNumber,
  optionalString,
  requiredArray,
  requiredCount,
  requiredFlag,
  requiredId,
  requiredNumber,
  requiredString,
  requiredWords,
  soundMembers,
  type Members,
} from './read-members.ts';
import { soundObject } from './sound-text.ts';

export interface ReadOptions {
  /** The text came in chunks, and may be as large as that allows. */
  readonly isJoined?: boolean;
  readonly limits?: FrameLimits;
}

/** Never throws. Members that are not known here are passed over: a later app may have more to say. */
export function readFrame(
  text: string,
  { isJoined = false, limits = DEFAULT_LIMITS }: ReadOptions = {},
): AppFrame | FrameFault {
  let members: Members = [];
  try {
    const maxBytes = isJoined ? limits.maxJoinedBytes : limits.maxFrameBytes;
    members = soundMembers(soundObject(text, { ...FRAME_FORM, maxBytes }));
    const type = requiredString(members, 'type', Number.POSITIVE_INFINITY);
    const read = READERS.get(type);
    if (read === undefined)
      throw new FrameFaultError(
        'frame_type_unknown',
        `Frames of the type ${shown(type)} are not known here.`,
      );
    if (isJoined && type === 'chunk')
      throw new FrameFaultError('chunk_in_chunk', 'What comes in chunks is not a chunk itself.');
    return read(members);
  } catch (error) {
    if (!(error instanceof FrameFaultError)) throw error;
    const requestId = legibleRequestId(members);
    return {
      code: error.code,
      message: error.message,
      ...(requestId !== undefined && { requestId, isAnswer: isAnswer(members) }),
    };
  }
}

const session = (members: Members): string | undefined => optionalId(members, 'mcpSessionId');

/** A map: of an object, `constructor` would be a type, too. */
const READERS: ReadonlyMap<string, (members: Members) => AppFrame> = new Map([
  [
    'invoke_result',
    (members: Members): AppFrame => ({
      type: 'invoke_result',
      mcpSessionId: requiredId(members, 'mcpSessionId'),
      requestId: requiredId(members, 'request_id'),
      ok: requiredFlag(members, 'ok'),
      content: findMember(members, 'content'),
      error: optionalError(members, 'error'),
    }),
  ],
  ['pong', (members: Members): AppFrame => ({ type: 'pong', mcpSessionId: session(members) })],
  [
    'hello',
    (members: Members): AppFrame => ({
      type: 'hello',
      mcpSessionId: session(members),
      version: requiredCount(members, 'version', 1),
      features: requiredWords(members, 'features', FRAME_FORM.maxFeatures, FRAME_FORM.maxFeatureChars),
    }),
  ],
  [
    'progress',
    (members: Members): AppFrame => ({
      type: 'progress',
      mcpSessionId: session(members),
      requestId: requiredId(members, 'request_id'),
      progress: requiredNumber(members, 'progress'),
      total: optionalNumber(members, 'total'),
      message: optionalString(members, 'message', FRAME_FORM.maxProgressChars),
    }),
  ],
  [
    'tools_changed',
    (members: Members): AppFrame => ({
      type: 'tools_changed',
      mcpSessionId: session(members),
      tools: requiredArray(members, 'tools'),
    }),
  ],
  [
    'chunk',
    (members: Members): AppFrame => ({
      type: 'chunk',
      mcpSessionId: session(members),
      id: requiredId(members, 'id'),
      index: requiredCount(members, 'index', 0),
      isLast: requiredFlag(members, 'isLast'),
      data: requiredString(members, 'data', Number.POSITIVE_INFINITY),
    }),
  ],
]);

/** Only then does the call end with it. */
const isAnswer = (members: Members): boolean => findMember(members, 'type') === '"invoke_result"';

/** So that a call whose answer cannot be read need not wait for its deadline. */
function legibleRequestId(members: Members): string | undefined {
  try {
    return optionalId(members, 'request_id');
  } catch {
    return undefined;
  }
}
