/** What comes with an order, as the gateway takes it. */
import type { Limits } from '../../../core/limits.ts';
import type { Order } from '../backend.ts';
import { fitAttachments } from '../media/in/fit/fit-attachments.ts';
import type { Attachment } from '../media/in/read-media.ts';
import type { Transcriber } from '../media/in/transcribe/transcriber.ts';
import { withTranscripts } from '../media/in/transcribe/with-transcripts.ts';
import type { Hello } from '../../../openclaw/handshake.ts';

export interface Prepared {
  readonly attachments: readonly Attachment[];
  /** What became of them, for the caller to know. */
  readonly remarks: readonly string[];
}

export interface Preparation {
  readonly policy: Hello['policy'];
  readonly limits: Pick<Limits, 'maxImagePixels' | 'maxScaleMs'>;
  readonly transcriber: Transcriber | undefined;
}

/** Rejects with the signal's reason where that is aborted. */
export async function prepareOrder(
  { message, attachments }: Pick<Order, 'message' | 'attachments'>,
  { policy, limits: { maxImagePixels, maxScaleMs }, transcriber }: Preparation,
  signal: AbortSignal,
): Promise<Prepared> {
  if (attachments.length === 0) return { attachments, remarks: [] };
  const heard = await withTranscripts(attachments, transcriber, signal);
  const fitted = await fitAttachments(
    heard.attachments,
    {
      maxImageBytes: policy.attachments?.maxImageBytes ?? policy.maxPayload,
      maxBytes: policy.attachments?.maxBytes ?? policy.maxPayload,
      maxFrameBytes: policy.maxPayload,
      messageBytes: Buffer.byteLength(JSON.stringify(message)),
    },
    signal,
    { limits: { maxImagePixels, maxScaleMs } },
  );
  return { attachments: fitted.attachments, remarks: [...heard.remarks, ...fitted.remarks] };
}
