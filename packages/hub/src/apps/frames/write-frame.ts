/** Writes the frames that the proxy sends to an app. */
import { fromByteText, quoted, type ByteText } from '../../core/wire/byte-text.ts';
import type { FrameFault } from './frame.ts';

export interface InvokeFrame {
  readonly sessionId: string;
  readonly requestId: string;
  readonly tool: string;
  /** A JSON object, as the bytes that came from the caller. */
  readonly args: ByteText;
}

/** Members and their order are specified by the document that the proxy follows. */
export const invokeText = ({ sessionId, requestId, tool, args }: InvokeFrame): string =>
  fromByteText(
    `{"type":"invoke_tool","mcpSessionId":${quoted(sessionId)},"request_id":${quoted(requestId)},"tool_name":${quoted(tool)},"arguments":${args}}`,
  );

export interface Cancellation {
  readonly sessionId: string;
  readonly requestId: string;
  readonly reason?: string | undefined;
}

/** Sent only to an app that has said hello. */
export const cancelText = ({ sessionId, requestId, reason }: Cancellation): string =>
  frameText('cancel', { mcpSessionId: sessionId, request_id: requestId, reason });

export interface Welcome {
  readonly sessionId: string;
  /** Grows with each bridge of the session. */
  readonly epoch: number;
  readonly version: number;
  /** The features that both sides support. */
  readonly features: readonly string[];
  /** Longer frames must be sent in chunks. */
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

/** The last frame to a bridge. */
export const replacedText = (): string =>
  frameText('replaced', { message: 'Another connection of this app has replaced this one.' });

const frameText = (type: string, members: object): string => JSON.stringify({ type, ...members });
