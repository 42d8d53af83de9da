/** Speech goes on as it came, with its text behind it where somebody can be asked for that. The message stays as it is. */
import { messageOf, PincerError } from '../../../../core/errors.ts';
import { withEnding } from '../../safe-name.ts';
import type { Attachment } from '../read-media.ts';
import type { Transcriber } from './transcriber.ts';

export interface WithTranscripts {
  readonly attachments: Attachment[];
  /** One for each that has no transcript although there should be one. */
  readonly remarks: string[];
}

/** Rejects with what the signal is aborted with, and with nothing else. */
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
      if (text === '') result.remarks.push(`${each.name} has no transcript: no words were found in it.`);
      else result.attachments.push(transcriptOf(each, text));
    } catch (error) {
      signal.throwIfAborted();
      result.remarks.push(`${each.name} has no transcript: ${reasonOf(error)}`);
    }
  }
  return result;
}

/** What was not foreseen may have anything in it. */
const reasonOf = (error: unknown): string =>
  PincerError.is(error) ? messageOf(error) : 'it could not be made.';

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
