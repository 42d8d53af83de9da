/** What an app says to the proxy over its bridge. `invoke_result` and `pong` are of every app, the others of one that has said `hello`. */
import type { ByteText } from '../../core/wire/byte-text.ts';

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

export type PongFrame = Frame<'pong'>;

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

export interface ToolsChangedFrame extends Frame<'tools_changed'> {
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
