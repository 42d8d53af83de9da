/** Turns speech into text, by whom the configuration says. */
import type { TranscriptionSettings } from '../../../../config/transcription.ts';
import type { Environment } from '../../../../lib/environment.ts';
import { ownersHint, PincerError } from '../../../../core/errors.ts';
import type { Log } from '../../../../core/ports.ts';
import type { Attachment } from '../read-media.ts';
import { valueAt } from '../../../../lib/value-at.ts';
import { FILE_TYPES } from '../../media-types.ts';
import { ask, type Service, TRANSCRIPT_LIMITS, type TranscriptLimits } from './ask.ts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram, type Ran, PROGRAM_LIMITS } from '../../../local/run-program.ts';

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

type Create = (settings: TranscriptionSettings, limits: TranscriptLimits) => Transcriber;

/** Speech that a service on the web turns into text. https://developers.deepgram.com/docs/pre-recorded-audio */
const deepgram: Create = (settings, limits) => {
  const { apiKey, model = 'nova-3', url = 'https://api.deepgram.com/v1/listen' } = settings;
  const address = new URL(url);
  const { searchParams } = address;
  setUnlessThere(searchParams, 'model', model);
  setUnlessThere(searchParams, 'smart_format', 'true');
  // Everything is taken for English otherwise.
  if (!searchParams.has('language')) setUnlessThere(searchParams, 'detect_language', 'true');
  return by({
    name: 'Deepgram',
    url: address,
    authorization: apiKey === undefined ? undefined : { scheme: 'Token', key: apiKey },
    timeoutMs: settings.timeoutMs,
    limits,
    bodyOf: (audio) => ({ type: audio.mimeType, body: bytesOf(audio) }),
    textIn: (answer) => valueAt(answer, ['results', 'channels', 0, 'alternatives', 0, 'transcript']),
  });
};

/** https://platform.openai.com/docs/api-reference/audio/createTranscription, and all that do it the same way. */
const openai: Create = (settings, limits) => {
  const { apiKey, model = 'whisper-1', url = 'https://api.openai.com/v1/audio/transcriptions' } = settings;
  return by({
    name: 'OpenAI',
    url: new URL(url),
    authorization: apiKey === undefined ? undefined : { scheme: 'Bearer', key: apiKey },
    timeoutMs: settings.timeoutMs,
    limits,
    bodyOf(audio) {
      const body = new FormData();
      // It goes by the ending, and knows Opus by that of its wrapping.
      const [type, ending] =
        audio.mimeType === 'audio/opus' ? ['audio/ogg', 'ogg'] : [audio.mimeType, endingOf(audio)];
      body.set('file', new Blob([bytesOf(audio)], { type }), `audio.${ending}`);
      body.set('model', model);
      body.set('response_format', 'json');
      return { type: undefined, body };
    },
    textIn: (answer) => valueAt(answer, ['text']),
  });
};

const by = (service: Service): Transcriber => ({
  transcribe: async (audio, signal) => (await ask(service, audio, signal)).trim(),
});

const bytesOf = ({ data }: Attachment): Uint8Array<ArrayBuffer> => Buffer.from(data, 'base64');
const endingOf = ({ mimeType }: Attachment): string => FILE_TYPES.get(mimeType) ?? 'bin';

const setUnlessThere = (query: URLSearchParams, name: string, value: string): void => {
  if (!query.has(name)) query.set(name, value);
};

interface CommandParts {
  readonly command: readonly string[];
  readonly timeoutMs: number;
  readonly env: Environment;
  readonly limits: TranscriptLimits;
}

/** Stands for the path of the file with the speech. */
const FILE_WORD = '{file}';
/** From SIGTERM to SIGKILL: there is nothing that it would have to bring to an end. */
const TERM_MS = 500;

/** Speech that a program on this machine turns into text, such as whisper.cpp. */
const byCommand = (parts: CommandParts): Transcriber => ({
  async transcribe(audio, signal) {
    // Only its owner may look into it.
    const folder = await mkdtemp(join(tmpdir(), 'pincer-audio-'));
    try {
      return await run(audio, folder, parts, signal);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});

async function run(
  { mimeType, data }: Attachment,
  folder: string,
  parts: CommandParts,
  signal: AbortSignal,
): Promise<string> {
  const file = join(folder, `audio.${FILE_TYPES.get(mimeType) ?? 'bin'}`);
  await writeFile(file, data, { encoding: 'base64', mode: 0o600, flag: 'wx' });
  const [program = '', ...args] = parts.command;
  const { maxTranscriptBytes: maxOutputBytes } = parts.limits;
  const ran = await runProgram({
    command: [program, ...args.map((word) => word.replaceAll(FILE_WORD, () => file))],
    // What some of them write beside the file is gone with it.
    cwd: folder,
    env: parts.env,
    signal,
    timeoutMs: parts.timeoutMs,
    limits: { ...PROGRAM_LIMITS, maxOutputBytes, termMs: TERM_MS },
  }).catch((cause: unknown) => {
    throw new PincerError('SERVER_UNREACHABLE', 'The program that transcribes cannot be started.', {
      hint: 'See agent.transcription.command in the configuration.',
      cause,
    });
  });
  signal.throwIfAborted();
  return textOf(ran, parts);
}

function textOf({ cut, exitCode, stdout, lastWords }: Ran, { timeoutMs, limits }: CommandParts): string {
  if (cut === 'timeout')
    throw new PincerError(
      'CALL_TIMEOUT',
      `The program that transcribes took longer than ${timeoutMs / 1000} seconds.`,
      { hint: 'Raise agent.transcription.timeoutMs, or use a smaller model.', lastWords },
    );
  if (cut === 'output')
    throw new PincerError(
      'SERVER_PROTOCOL',
      `The program that transcribes wrote more than ${limits.maxTranscriptBytes} bytes.`,
    );
  if (exitCode !== 0)
    throw new PincerError('TOOL_ERROR', `The program that transcribes ended with code ${exitCode}.`, {
      lastWords,
    });
  return stdout.trim();
}
