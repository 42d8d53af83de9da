/** One request to a transcription service: without redirects, with limits for bytes and time, and without the key in any error. */
import { messageOf, PincerError, type ErrorCode } from '../../core/errors.ts';
import { visible } from '../../core/visible.ts';
import { isRecord } from '../../lib/record.ts';
import { sizeText } from './name-and-size.ts';
import type { Attachment } from './read-attachments.ts';

export const TRANSCRIPT_LIMITS = {
  /** A day of speech. */
  maxTranscriptBytes: 1024 * 1024,
  /** The whole response: services add the times of all words. */
  maxAnswerBytes: 16 * 1024 * 1024,
} as const;

export type TranscriptLimits = { readonly [K in keyof typeof TRANSCRIPT_LIMITS]: number };

export interface Service {
  readonly name: string;
  readonly url: URL;
  readonly authorization: { readonly scheme: string; readonly key: string } | undefined;
  readonly timeoutMs: number;
  readonly limits: TranscriptLimits;
  /** Without a type, `fetch` derives it from the body. */
  bodyOf(audio: Attachment): {
    readonly type: string | undefined;
    readonly body: Uint8Array<ArrayBuffer> | FormData;
  };
  /** Extracts the text from the response. */
  textIn(answer: unknown): unknown;
}

/** How much of an error response is quoted. */
const MAX_WORDS = 200;
const MAX_REFUSAL_BYTES = 64 * 1024;

/** Rejects with a `PincerError`, or with the signal's reason. */
export async function requestTranscript(
  service: Service,
  audio: Attachment,
  signal: AbortSignal,
): Promise<string> {
  const late = AbortSignal.timeout(service.timeoutMs);
  try {
    return await exchange(service, audio, AbortSignal.any([signal, late]));
  } catch (error) {
    signal.throwIfAborted();
    if (PincerError.is(error)) throw error;
    if (late.aborted)
      throw fail(
        'CALL_TIMEOUT',
        `${service.name} did not answer within ${service.timeoutMs / 1000} seconds.`,
      );
    throw fail('SERVER_UNREACHABLE', `${service.name} cannot be reached (${reasonOf(error)}).`);
  }
}

async function exchange(service: Service, audio: Attachment, signal: AbortSignal): Promise<string> {
  const { name, url, authorization, limits } = service;
  const { type, body } = service.bodyOf(audio);
  const headers = new Headers({ accept: 'application/json' });
  if (type !== undefined) headers.set('content-type', type);
  if (authorization !== undefined)
    headers.set('authorization', `${authorization.scheme} ${authorization.key}`);
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
  const { status } = response;
  if (!response.ok) throw refusal(service, status, await read(response, MAX_REFUSAL_BYTES));
  const text = await read(response, limits.maxAnswerBytes);
  if (text === undefined)
    throw fail('SERVER_PROTOCOL', `${name} answered with more than ${sizeText(limits.maxAnswerBytes)}.`);
  const transcript = service.textIn(parsed(text));
  if (typeof transcript !== 'string') throw fail('SERVER_PROTOCOL', `${name} answered without a text.`);
  if (Buffer.byteLength(transcript) > limits.maxTranscriptBytes)
    throw fail('SERVER_PROTOCOL', `The text is longer than ${sizeText(limits.maxTranscriptBytes)}.`);
  return transcript;
}

/** Returns undefined if the body is longer. */
async function read({ body }: Response, maxBytes: number): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    // Leaving the loop cancels the body.
    if (size > maxBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusal({ name, authorization }: Service, status: number, text = ''): PincerError {
  if (status >= 300 && status < 400)
    return fail('SERVER_PROTOCOL', `${name} redirects (HTTP ${status}), and redirects are not followed.`);
  // Some services quote a part of the key, so their text is not passed on.
  if (status === 401 || status === 403)
    return fail('TOOL_ERROR', `${name} does not accept the key (HTTP ${status}).`);
  const message = wordsIn(parsed(text)) ?? '';
  const words = authorization === undefined ? message : message.replaceAll(authorization.key, '…');
  const quoted = words === '' ? '' : `: ${visible(words.slice(0, MAX_WORDS))}`;
  return fail('TOOL_ERROR', `${name} refused the request (HTTP ${status}${quoted}).`);
}

/** The message in error responses of Deepgram, OpenAI and most others. */
function wordsIn(answer: unknown): string | undefined {
  if (!isRecord(answer)) return undefined;
  const { err_msg: deepgram, error, message } = answer;
  const inside = isRecord(error) ? error['message'] : error;
  return [deepgram, inside, message].find((words) => typeof words === 'string');
}

/** The code of the deepest cause of a failed `fetch`. Messages may contain the URL. */
function reasonOf(error: unknown): string {
  for (let each = error; each instanceof Error; each = each.cause)
    if ('code' in each && typeof each.code === 'string') return each.code;
  return error instanceof Error ? error.name : messageOf(error);
}

const fail = (code: ErrorCode, message: string): PincerError =>
  new PincerError(code, message, { hint: 'See agent.transcription in the configuration.' });
