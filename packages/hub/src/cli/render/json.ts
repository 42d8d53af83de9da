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
