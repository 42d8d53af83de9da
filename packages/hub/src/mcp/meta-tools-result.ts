/** Results of the tools that Pincer itself has. */
import type { Era } from '../core/protocol.ts';
import { quoted, type ByteText } from '../core/wire/byte-text.ts';
import { writeMembers } from '../core/wire/members.ts';

/** `structured` is a whole JSON object. */
export const metaResult = (era: Era, text: string, structured: ByteText): ByteText =>
  write(era, text, { structuredContent: structured });

/** What the model can put right by itself: 2025-11-25 wants it as a result, since clients hide errors from models. */
export const metaMistake = (era: Era, text: string): ByteText => write(era, text, { isError: 'true' });

const write = (era: Era, text: string, more: Readonly<Record<string, ByteText>>): ByteText =>
  writeMembers([], {
    content: `[{"type":"text","text":${quoted(text)}}]`,
    ...more,
    resultType: era === 'modern' ? '"complete"' : undefined,
  });
