/** What is wrong with a configuration, as sentences. */

/** `servers.files.args[0]`. */
export const pathText = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, step) =>
      typeof step === 'number' ? `${text}[${step}]` : text === '' ? String(step) : `${text}.${String(step)}`,
    '',
  ) || '(root)';

/** A question has its mark already. */
export const ended = (sentence: string): string => (sentence.endsWith('?') ? sentence : `${sentence}.`);

/** To follow a sentence or a colon: one on the same line, several on lines of their own. */
export const listed = (messages: readonly string[]): string =>
  messages.length === 1 ? ` ${ended(messages[0]!)}` : messages.map((message) => `\n  ${message}`).join('');
