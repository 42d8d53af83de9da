import { inChatTerms, PincerError, visibleBlock } from 'pincer/client';
import type { Answer } from './answer.ts';

/** A sentence, and what to do next. */
export function renderFailure(error: unknown): Answer {
  const { message, hint } = PincerError.from(error);
  const texts = hint === undefined ? [message] : [message, hint];
  return { lines: texts.flatMap((text) => visibleBlock(inChatTerms(text)).split('\n')) };
}
