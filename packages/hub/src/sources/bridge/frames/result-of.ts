/** What an app answered, as the result of a tool call. */
import { quoted, type ByteText } from '../../../core/wire/byte-text.ts';
import { areContentBlocks } from './content-blocks.ts';
import type { InvokeResultFrame } from './frame.ts';

type Answer = Pick<InvokeResultFrame, 'ok' | 'content' | 'error'>;

export interface ResultOptions {
  /** The app has said hello, and may answer with content blocks. */
  readonly isRich: boolean;
}

/**
 * In the words of the modern era, where structured output is any JSON. For callers of the legacy era, core wraps what
 * is no object (core/bridge/result-in-era.ts).
 */
export function resultOf({ ok, content, error }: Answer, { isRich }: ResultOptions): ByteText {
  const blocks = isRich && content !== undefined && areContentBlocks(content) ? content : undefined;
  if (!ok) return result(failure(blocks, content, error), true);
  if (content === undefined) return result('[]', false);
  if (blocks !== undefined) return result(blocks, false);
  return result(`[${textBlock(jsonText(content))}]`, false, `,"structuredContent":${content}`);
}

const result = (content: ByteText, isError: boolean, structured: ByteText = ''): ByteText =>
  `{"content":${content}${structured},"isError":${isError},"resultType":"complete"}`;

const textBlock = (text: ByteText): ByteText => `{"type":"text","text":${text}}`;

/** A JSON string of JSON. Bytes beyond ASCII need no escape, so the bytes can be quoted as they are. */
const jsonText = (json: ByteText): ByteText => JSON.stringify(json);

const UNEXPLAINED = 'The app says that the tool failed, but not why.';

/** A caller is told why, in the app's words where there are any. */
function failure(
  blocks: ByteText | undefined,
  content: ByteText | undefined,
  error: string | undefined,
): ByteText {
  const said = error === undefined || error.trim() === '' ? undefined : textBlock(quoted(error));
  if (blocks !== undefined) return said === undefined ? blocks : `[${said},${blocks.slice(1)}`;
  if (said !== undefined) return `[${said}]`;
  if (content === undefined || content === 'null') return `[${textBlock(quoted(UNEXPLAINED))}]`;
  return `[${textBlock(content.startsWith('"') ? content : jsonText(content))}]`;
}
