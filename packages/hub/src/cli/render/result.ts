/** A tool's result for a person, or for the next program in the pipe. */
import { fromByteText, parseBytes, type ByteText } from '../../core/wire/byte-text.ts';
import { findMember, readMembers } from '../../core/wire/members.ts';
import { visible } from '../../core/visible.ts';
import { formatBytes } from './bytes.ts';

export interface RenderedResult {
  readonly text: string;
  readonly isError: boolean;
  /** Whether there is something in it that a terminal cannot show. */
  readonly hasMedia: boolean;
}

interface Block {
  readonly type?: unknown;
  readonly [key: string]: unknown;
}

/** Text as it is; other blocks as a line each; structured content where there is no text. */
export function renderResult(result: ByteText): RenderedResult {
  const members = readMembers(result);
  const raw = findMember(members, 'content');
  const content = raw === undefined ? [] : parseBytes(raw);
  const blocks = Array.isArray(content) ? (content as Block[]) : [];
  const lines = blocks.map((block) => renderBlock(block));
  const structured = findMember(members, 'structuredContent');
  const hasText = blocks.some(({ type }) => type === 'text');
  if (structured !== undefined && !hasText) lines.push(indentJson(fromByteText(structured)));
  return {
    text: lines.map((line) => (line === '' || line.endsWith('\n') ? line : `${line}\n`)).join(''),
    isError: findMember(members, 'isError') === 'true',
    hasMedia: blocks.some(({ type }) => type === 'image' || type === 'audio' || type === 'resource'),
  };
}

function renderBlock(block: Block): string {
  if (block.type === 'text') return String(block['text']);
  const inner = block['resource'];
  const facts = (typeof inner === 'object' && inner !== null ? inner : block) as Block;
  const words = [block.type, facts['name'], facts['uri'], facts['mimeType'], sizeOf(facts)];
  return `[${visible(words.filter((word) => typeof word === 'string').join(' '))}]`;
}

/** Of base64 data. */
function sizeOf({ data, blob, text }: Block): string | undefined {
  if (typeof text === 'string') return formatBytes(Buffer.byteLength(text));
  const base64 = data ?? blob;
  return typeof base64 === 'string' ? formatBytes(Buffer.byteLength(base64, 'base64')) : undefined;
}

/** `image/png, 12.3 KB`. */
export const formatFile = (mimeType: string, bytes: number): string =>
  visible([mimeType, formatBytes(bytes)].filter((part) => part !== '').join(', '));

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
