/** Frames that an app sends over its bridge, their limits, and faults in them. `invoke_result` and `pong` come from every app, the others from one that has said `hello`. */
import type { ByteText } from '../../core/wire/byte-text.ts';
import { plainJson } from '../../core/plain-json.ts';
import type { Limits } from '../../core/limits.ts';

interface Frame<T extends string> {
  readonly type: T;
  /** The session that the app says it speaks for, where it says so. It proves nothing: the bridge knows whose it is. */
  readonly mcpSessionId: string | undefined;
}

export interface InvokeResultFrame extends Frame<'invoke_result'> {
  readonly mcpSessionId: string;
  readonly requestId: string;
  readonly ok: boolean;
  /** Any JSON, as the bytes that came. */
  readonly content: ByteText | undefined;
  /** The text of the error, or the message of one that is an object. */
  readonly error: string | undefined;
}

type PongFrame = Frame<'pong'>;

export interface HelloFrame extends Frame<'hello'> {
  readonly version: number;
  readonly features: readonly string[];
}

export interface ProgressFrame extends Frame<'progress'> {
  readonly requestId: string;
  readonly progress: number;
  readonly total: number | undefined;
  readonly message: string | undefined;
}

interface ToolsChangedFrame extends Frame<'tools_changed'> {
  /** An array of whatever the app takes for tools, as the bytes that came. */
  readonly tools: ByteText;
}

export interface ChunkFrame extends Frame<'chunk'> {
  readonly id: string;
  readonly index: number;
  readonly isLast: boolean;
  /** A piece of the text of a frame. */
  readonly data: string;
}

export type AppFrame =
  | InvokeResultFrame
  | PongFrame
  | HelloFrame
  | ProgressFrame
  | ToolsChangedFrame
  | ChunkFrame;

/** How large frames may be. */
export type FrameLimits = Pick<Limits, 'maxFrameBytes' | 'maxJoinedBytes'>;

/** What belongs to the form of a frame, and is no setting. */
export const FRAME_FORM = {
  /** Chunks of one frame, and frames in chunks that one app has begun. */
  maxChunks: 4_096,
  maxOpenChunked: 8,
  /** How deep values may be nested in a frame: readers in other languages stop at 1,000 and less. */
  maxDepth: 256,
  /** Members and elements of one frame, at whatever depth: a million of them take a second to read. */
  maxValues: 200_000,
  /** Characters of an id: of a session, a request, a series of chunks. */
  maxIdChars: 128,
  /** Features that a hello names, and characters of each. */
  maxFeatures: 64,
  maxFeatureChars: 64,
  /** Characters of the message that comes with progress. */
  maxProgressChars: 4_096,
} as const;

/** Stable: apps may tell faults apart by them. */
export type FrameFaultCode =
  | 'frame_too_large'
  | 'frame_too_complex'
  | 'frame_not_unicode'
  | 'frame_not_json'
  | 'frame_not_object'
  | 'frame_duplicate_key'
  | 'frame_forbidden_key'
  | 'frame_type_unknown'
  | 'frame_member_missing'
  | 'frame_member_invalid'
  | 'frame_number_out_of_range'
  | 'chunk_out_of_order'
  | 'chunk_too_many'
  | 'chunk_too_many_open'
  | 'chunk_too_large'
  | 'chunk_in_chunk'
  | 'frame_foreign_session'
  | 'frame_before_hello'
  | 'tools_invalid';

export interface FrameFault {
  readonly code: FrameFaultCode;
  /** For people. */
  readonly message: string;
  /** The call that the frame was about, where that was legible. */
  readonly requestId?: string;
  /** The frame was to answer that call. */
  readonly isAnswer?: boolean;
}

export const isFault = (read: object): read is FrameFault => 'code' in read;

/** Carries a fault out of the depths of a frame. Never leaves this folder. */
export class FrameFaultError extends Error {
  readonly code: FrameFaultCode;
  constructor(code: FrameFaultCode, message: string) {
    super(message);
    this.code = code;
  }
}

const SHOWN_CHARS = 60;

/** A word of the app's, short and visible, to be shown back to it. */
export const shown = (word: string): string =>
  plainJson(
    JSON.stringify(word.length <= SHOWN_CHARS ? word : `${word.slice(0, SHOWN_CHARS).toWellFormed()}…`),
  );
