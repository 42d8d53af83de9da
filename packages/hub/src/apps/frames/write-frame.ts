/** What the proxy says to an app: texts, as a WebSocket sends them. */
import { fromByteText, quoted, type ByteText } from '../../core/wire/byte-text.ts';
import type { FrameFault } from './frame.ts';

export interface InvokeFrame {
  readonly sessionId: string;
  readonly requestId: string;
  readonly tool: string;
  /** A JSON object, as the bytes that came from the caller. */
  readonly args: ByteText;
}

/** Members and their order are those of the document that the proxy follows. */
export const invokeText = ({ sessionId, requestId, tool, args }: InvokeFrame): string =>
  fromByteText(
    `{"type":"invoke_tool","mcpSessionId":${quoted(sessionId)},"request_id":${quoted(requestId)},"tool_name":${quoted(tool)},"arguments":${args}}`,
  );

export interface Cancellation {
  readonly sessionId: string;
  readonly requestId: string;
  readonly reason?: string | undefined;
}

/** Only to an app that has said hello. */
export const cancelText = ({ sessionId, requestId, reason }: Cancellation): string =>
  frameText('cancel', { mcpSessionId: sessionId, request_id: requestId, reason });

export interface Welcome {
  readonly sessionId: string;
  /** Grows with each bridge of the session. */
  readonly epoch: number;
  readonly version: number;
  /** What both sides know. */
  readonly features: readonly string[];
  /** Frames that are longer are to be sent in chunks. */
  readonly chunkBytes: number;
}

/** The answer to a hello. */
export const welcomeText = ({ sessionId, epoch, version, features, chunkBytes }: Welcome): string =>
  frameText('welcome', {
    mcpSessionId: sessionId,
    epoch,
    version,
    features,
    chunk_bytes: chunkBytes,
  });

export const errorText = ({ code, message, requestId }: FrameFault): string =>
  frameText('error', { code, message, request_id: requestId });

/** The last word to a bridge. */
export const replacedText = (): string =>
  frameText('replaced', { message: 'Another connection of this app has taken over the session.' });

const frameText = (type: string, members: object): string => JSON.stringify({ type, ...members });
