/** What makes speech of a text. */
import type { CommandLine } from '../../core/program.ts';

export interface Engine {
  /** What callers name it by. */
  readonly provider: string;
  readonly readiness: EngineReadiness;
  /** What to do where it is not ready. */
  readonly hint: string;
  /** Makes a WAV file. Absent: it is only heard. */
  toFile?(speech: Speech, file: string): SpeechRun;
  /** Is heard without a player. */
  aloud?(speech: Speech): SpeechRun;
  /** What has to be run besides, so that it falls silent. */
  readonly silence?: SpeechRun;
}

/** As other nodes call it in `tts.status`. */
export type EngineReadiness = 'ready' | 'needs-voice' | 'unavailable';

export interface Speech {
  readonly text: string;
  readonly voice?: string | undefined;
}

/** A program; the text is on its stdin wherever that is possible. */
export interface SpeechRun extends CommandLine {
  readonly input?: Buffer;
  /** Besides those of the desktop. */
  readonly variables?: Readonly<Record<string, string>>;
}
