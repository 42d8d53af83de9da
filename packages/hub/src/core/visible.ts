/** With these a server's words could move the cursor, forge a line, or reorder it. */
const UNSAFE = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;
const UNSAFE_IN_BLOCK = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu;

const escape = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** For one line of our own output. */
export const visible = (text: string): string => text.replaceAll(UNSAFE, escape);

/** For a text of several lines. */
export const visibleBlock = (text: string): string =>
  text.replaceAll('\r\n', '\n').replaceAll(UNSAFE_IN_BLOCK, escape);
