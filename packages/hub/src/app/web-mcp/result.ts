/** What a tool of a page gave back, as a tool of an app gives it. */

/** Of MCP: many pages answer in its words. */
interface McpResult {
  readonly content: readonly { readonly type: string; readonly text?: unknown }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** `executeTool` gives text: JSON where the tool gave an object, its words where it gave words. */
export function resultOf(given: unknown): unknown {
  const value = typeof given === 'string' ? valueOf(given) : given;
  if (!isMcpResult(value)) return value ?? undefined;
  if (value.isError === true) throw new Error(textOf(value));
  return value.structuredContent ?? value.content;
}

/** A tool without a result is said to have given "undefined". */
function valueOf(text: string): unknown {
  if (text === 'undefined') return undefined;
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const isMcpResult = (value: unknown): value is McpResult =>
  typeof value === 'object' && value !== null && 'content' in value && Array.isArray(value.content);

const textOf = ({ content }: McpResult): string =>
  content
    .map(({ text }) => text)
    .filter((text) => typeof text === 'string')
    .join('\n');
