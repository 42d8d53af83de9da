import { quoted, type ByteText } from '../../core/wire/byte-text.ts';
import type { AppTool } from '../directory/session-directory.ts';

/** A registered tool as MCP lists it; the app's schemas are the bytes that came. */
export function toToolDefinition(tool: AppTool): ByteText {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const parts = [
    `"name":${quoted(name)}`,
    ...(title === undefined ? [] : [`"title":${quoted(title)}`]),
    ...(description === undefined ? [] : [`"description":${quoted(description)}`]),
    `"inputSchema":${inputSchema}`,
    ...(outputSchema === undefined ? [] : [`"outputSchema":${outputSchema}`]),
    ...(annotations === undefined ? [] : [`"annotations":${annotations}`]),
  ];
  return `{${parts.join(',')}}`;
}
