import { HIDDEN_IN_JSON } from '../../core/trust/hidden-characters.ts';

/** The same JSON, in which no character moves, hides or reorders what a terminal shows. */
export const plainJson = (text: string): string => text.replaceAll(HIDDEN_IN_JSON, escaped);

/** JSON knows halves of surrogate pairs only. */
const escaped = (char: string): string =>
  Array.from(
    { length: char.length },
    (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');

/** In V8 since 11.4; not in TypeScript's library yet. */
interface JsonWithSource {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}

const Json = JSON as unknown as JsonWithSource;

/** The same JSON with line breaks and indents; numbers stay as they were written. */
export const indentJson = (text: string): string =>
  JSON.stringify(
    Json.parse(text, (_key, value, { source }) =>
      typeof value === 'number' && source !== undefined ? Json.rawJSON(source) : value,
    ),
    undefined,
    2,
  );
