/** Speech that a service on the web turns into text. */
import type { TranscriptionSettings } from '../../../../../config/transcription.ts';
import { valueAt } from '../../../../../core/value-at.ts';
import { FILE_TYPES } from '../../media-types.ts';
import type { Attachment } from '../read-media.ts';
import { ask, type Service } from './ask.ts';
import type { TranscriptLimits } from './limits.ts';
import type { Transcriber } from './transcriber.ts';

type Create = (settings: TranscriptionSettings, limits: TranscriptLimits) => Transcriber;

/** https://developers.deepgram.com/docs/pre-recorded-audio */
export const deepgram: Create = (settings, limits) => {
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
export const openai: Create = (settings, limits) => {
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
