import type { OrderProgress } from '../backend.ts';

/** The end of what was said so far, and what is done now: that is what is new. */
export function lastSaid({ text, tool }: OrderProgress, maxChars: number): string {
  const shown = text.length > maxChars ? `…${text.slice(1 - maxChars).toWellFormed()}` : text;
  const doing = tool === undefined ? '' : `[uses ${tool}]`;
  return [shown, doing].filter((part) => part !== '').join('\n');
}
