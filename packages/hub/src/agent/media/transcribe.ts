/** Transcribes speech attachments, with the service or program from the configuration. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TranscriptionSettings } from '../../config/transcription-schema.ts';
import { messageOf, ownersHint, PincerError } from '../../core/errors.ts';
import type { Log } from '../../core/ports.ts';
import type { Environment } from '../../lib/process.ts';
import { valueAt } from '../../lib/record.ts';
import { PROGRAM_LIMITS, runProgram, type Ran } from '../local/run-program.ts';
import { FILE_TYPES } from './media-types.ts';
import { withEnding } from './name-and-size.ts';
import type { Attachment } from './read-attachments.ts';
import {
  requestTranscript,
  TRANSCRIPT_LIMITS,
  type Service,
  type TranscriptLimits,
} from './transcription-service.ts';

export interface Transcriber {
  /** Resolves with the text, empty if there is no speech. Rejects with a `PincerError`, or with the signal's reason. */
  transcribe(audio: Attachment, signal: AbortSignal): Promise<string>;
}

interface TranscriberParts {
  /** The environment of a transcription program. */
  readonly env: Environment;
  /** Gets the full reason of a failure; the caller does not. */
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

/** https://developers.deepgram.com/docs/pre-recorded-audio */
const deepgram: Create = (settings, limits) => {
  const { apiKey, model = 'nova-3', url = 'https://api.deepgram.com/v1/listen' } = settings;
  const address = new URL(url);
  const { searchParams } = address;
  setUnlessThere(searchParams, 'model', model);
  setUnlessThere(searchParams, 'smart_format', 'true');
  // The default language is English.
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

/** https://platform.openai.com/docs/api-reference/audio/createTranscription, and compatible services. */
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
      // OpenAI goes by the file extension, and knows Opus only as ogg.
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
  transcribe: async (audio, signal) => (await requestTranscript(service, audio, signal)).trim(),
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

/** Placeholder for the path of the audio file. */
const FILE_WORD = '{file}';
/** From SIGTERM to SIGKILL. A transcription has nothing to clean up. */
const TERM_MS = 500;

/** Transcribes with a program on this machine, such as whisper.cpp. */
const byCommand = (parts: CommandParts): Transcriber => ({
  async transcribe(audio, signal) {
    // `mkdtemp` creates a folder that only its owner can read.
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
    // Files that the program writes are removed with the folder.
    cwd: folder,
    env: parts.env,
    signal,
    timeoutMs: parts.timeoutMs,
    limits: { ...PROGRAM_LIMITS, maxOutputBytes, termMs: TERM_MS },
  }).catch((cause: unknown) => {
    throw new PincerError('SERVER_UNREACHABLE', 'The transcription program cannot be started.', {
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
      `The transcription program took longer than ${timeoutMs / 1000} seconds.`,
      { hint: 'Raise agent.transcription.timeoutMs, or use a smaller model.', lastWords },
    );
  if (cut === 'output')
    throw new PincerError(
      'SERVER_PROTOCOL',
      `The transcription program wrote more than ${limits.maxTranscriptBytes} bytes.`,
    );
  if (exitCode !== 0)
    throw new PincerError('TOOL_ERROR', `The transcription program ended with code ${exitCode}.`, {
      lastWords,
    });
  return stdout.trim();
}

interface WithTranscripts {
  readonly attachments: Attachment[];
  /** One for each attachment that could not be transcribed. */
  readonly remarks: string[];
}

/** Adds a transcript behind each speech attachment. Rejects only with the signal's reason. */
export async function withTranscripts(
  attachments: readonly Attachment[],
  transcriber: Transcriber | undefined,
  signal: AbortSignal,
): Promise<WithTranscripts> {
  if (transcriber === undefined) return { attachments: [...attachments], remarks: [] };
  const result: WithTranscripts = { attachments: [], remarks: [] };
  for (const each of attachments) {
    result.attachments.push(each);
    if (!each.mimeType.startsWith('audio/')) continue;
    try {
      const text = await transcriber.transcribe(each, signal);
      if (text === '') result.remarks.push(`${each.name} has no transcript: no speech was found.`);
      else result.attachments.push(transcriptOf(each, text));
    } catch (error) {
      signal.throwIfAborted();
      result.remarks.push(`${each.name} has no transcript: ${reasonOf(error)}`);
    }
  }
  return result;
}

/** An unexpected error may contain anything, so it is not shown. */
const reasonOf = (error: unknown): string =>
  PincerError.is(error) ? messageOf(error) : 'the transcription failed.';

const ENDING = '.transcript.txt';

function transcriptOf({ name }: Attachment, text: string): Attachment {
  const bytes = Buffer.from(text);
  return {
    kind: 'file',
    mimeType: 'text/plain',
    name: withEnding(name, ENDING),
    size: bytes.length,
    data: bytes.toString('base64'),
  };
}
