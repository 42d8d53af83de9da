/** What is wrong with a frame, for the app that sent it. */
import { plainJson } from '../../core/plain-json.ts';

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
