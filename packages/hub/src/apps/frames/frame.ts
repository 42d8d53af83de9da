/** Frames that an app sends over its bridge, their limits, and their faults. Every app sends `invoke_result` and `pong`; the others require a `hello`. */
import type { ByteText } from '../../core/wire/byte-text.ts';
import { plainJson } from '../../core/plain-json.ts';
import type { Limits } from '../../core/limits.ts';

interface Frame<T extends string> {
  readonly type: T;
  /** The session that the app names, if it names one. Not trusted: the bridge knows its session. */
  readonly mcpSessionId: string | undefined;
}

export interface InvokeResultFrame extends Frame<'invoke_result'> {
  readonly mcpSessionId: string;
  readonly requestId: string;
  readonly ok: boolean;
  /** Any JSON, as the bytes that came. */
  readonly content: ByteText | undefined;
  /** The error text, or the `message` of an error object. */
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
  /** An unchecked array, as the bytes that came. */
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

/** Fixed limits of the frame format. They are not settings. */
export const FRAME_FORM = {
  /** Chunks per frame, and chunked frames that one app may have open. */
  maxChunks: 4_096,
  maxOpenChunked: 8,
  /** Nesting depth of values in a frame. Parsers in other languages stop at 1,000 and less. */
  maxDepth: 256,
  /** Members and elements of one frame at all depths. A million of them take a second to read. */
  maxValues: 200_000,
  /** Characters of the id of a session, a request or a series of chunks. */
  maxIdChars: 128,
  /** Features that a hello names, and characters of each. */
  maxFeatures: 64,
  maxFeatureChars: 64,
  /** Characters of a progress message. */
  maxProgressChars: 4_096,
} as const;

/** Stable codes, so that apps can tell faults apart. */
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
  /** The call that the frame was about, if its id could be read. */
  readonly requestId?: string;
  /** Whether the frame was an answer to that call. */
  readonly isAnswer?: boolean;
}

export const isFault = (read: object): read is FrameFault => 'code' in read;

/** Thrown inside the parser. Never leaves this folder. */
export class FrameFaultError extends Error {
  readonly code: FrameFaultCode;
  constructor(code: FrameFaultCode, message: string) {
    super(message);
    this.code = code;
  }
}

const SHOWN_CHARS = 60;

/** A short, visible quote of the app's text, for messages to the app. */
export const shown = (text: string): string =>
  plainJson(
    JSON.stringify(text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS).toWellFormed()}…`),
  );
