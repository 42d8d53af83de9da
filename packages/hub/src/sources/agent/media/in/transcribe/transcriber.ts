/** Turns speech into text, by whom the configuration says. */
import type { TranscriptionSettings } from '../../../../../config/transcription.ts';
import type { Environment } from '../../../../../core/environment.ts';
import { ownersHint, PincerError } from '../../../../../core/errors.ts';
import type { Log } from '../../../../../core/ports.ts';
import type { Attachment } from '../read-media.ts';
import { byCommand } from './by-command.ts';
import { deepgram, openai } from './by-service.ts';
import { TRANSCRIPT_LIMITS, type TranscriptLimits } from './limits.ts';

export interface Transcriber {
  /** The text, empty where nothing is said. Rejects with a `PincerError`, or with what the signal is aborted with. */
  transcribe(audio: Attachment, signal: AbortSignal): Promise<string>;
}

export interface TranscriberParts {
  /** Of a command. */
  readonly env: Environment;
  /** Told why there is no text: the caller does not hear all of it. */
  readonly log: Pick<Log, 'warn'>;
  readonly limits?: Partial<TranscriptLimits>;
}

export function createTranscriber(settings: TranscriptionSettings, parts: TranscriberParts): Transcriber {
  const transcriber = transcriberFor(settings, parts);
  return {
    async transcribe(audio, signal) {
      try {
        return await transcriber.transcribe(audio, signal);
      } catch (error) {
        if (!signal.aborted) {
          const reason = PincerError.from(error);
          parts.log.warn('speech could not be transcribed', {
            reason: reason.message,
            hint: ownersHint(reason),
          });
        }
        throw error;
      }
    },
  };
}

function transcriberFor(
  settings: TranscriptionSettings,
  { env, limits: given }: TranscriberParts,
): Transcriber {
  const limits = { ...TRANSCRIPT_LIMITS, ...given };
  const { command, provider, timeoutMs } = settings;
  if (command !== undefined) return byCommand({ command, timeoutMs, env, limits });
  return provider === 'deepgram' ? deepgram(settings, limits) : openai(settings, limits);
}
