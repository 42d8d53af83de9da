/** Definitions of the three meta tools that replace the full list. */
import type { CatalogTool } from '../core/catalog/catalog.ts';
import { parseToolDefinition, type ToolDefinition } from '../core/catalog/tool-definition.ts';
import { jsonBytes, quoted, type ByteText } from '../core/wire/byte-text.ts';
import type { Era } from '../core/protocol.ts';
import { writeMembers } from '../core/wire/members.ts';

export const META_TOOL = { find: 'find_tools', describe: 'describe_tool', call: 'call_tool' } as const;

export const DEFAULT_HITS = 8;
export const MAX_HITS = 50;

/**
 * Servers named in a description: a model that does not see them does not search for them. More names would cost what
 * the search saves.
 */
const MAX_SERVERS = 40;

/** For `initialize` and `server/discover`. */
export const SEARCH_INSTRUCTIONS =
  `The tools of this hub are not listed one by one. Search them with ${META_TOOL.find}, ` +
  `then call what you need with ${META_TOOL.call}.`;

/** No meta tools if there are no tools to find. */
export const metaDefinitions = (tools: readonly CatalogTool[]): readonly ToolDefinition[] =>
  tools.length === 0 ? [] : [findTools(serversOf(tools)), DESCRIBE_TOOL, CALL_TOOL];

const serversOf = (tools: readonly CatalogTool[]): readonly string[] => [
  ...new Set(tools.map(({ server }) => server)),
];

const READS_ONLY = { readOnlyHint: true, openWorldHint: false };

const define = (tool: object): ToolDefinition => parseToolDefinition(jsonBytes(tool), 'modern')!;

function findTools(servers: readonly string[]): ToolDefinition {
  const named = servers.slice(0, MAX_SERVERS).join(', ');
  const more = servers.length > MAX_SERVERS ? ` and ${servers.length - MAX_SERVERS} more` : '';
  return define({
    name: META_TOOL.find,
    title: 'Find tools',
    description:
      'Searches the tools of this hub by what they do, and returns their names and signatures. ' +
      `Start here: no other tool is listed. Servers: ${named}${more}.`,
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What the tool should do, or a name.' },
        limit: { type: 'integer', minimum: 1, maximum: MAX_HITS, default: DEFAULT_HITS },
      },
      required: ['query'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        tools: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              name: { type: 'string' },
              signature: { type: 'string' },
              description: { type: 'string' },
            },
            required: ['name', 'signature', 'description'],
          },
        },
        total: { type: 'integer' },
        advice: { type: 'string' },
      },
      required: ['tools', 'total', 'advice'],
    },
    annotations: READS_ONLY,
  });
}

const TOOL_NAME = { type: 'string', description: `A name that ${META_TOOL.find} returned.` };

const DESCRIBE_TOOL = define({
  name: META_TOOL.describe,
  title: 'Describe a tool',
  description: 'Returns the full definition of one tool, for when its signature is not enough.',
  inputSchema: {
    type: 'object',
    properties: { name: TOOL_NAME },
    required: ['name'],
    additionalProperties: false,
  },
  outputSchema: { type: 'object', properties: { tool: { type: 'object' } }, required: ['tool'] },
  annotations: READS_ONLY,
});

/** No hints: its effects are those of the tool that it calls. */
const CALL_TOOL = define({
  name: META_TOOL.call,
  title: 'Call a tool',
  description: `Calls one tool that ${META_TOOL.find} returned, and returns its result.`,
  inputSchema: {
    type: 'object',
    properties: {
      name: TOOL_NAME,
      arguments: { type: 'object', description: 'The arguments of that tool.' },
    },
    required: ['name'],
    additionalProperties: false,
  },
});

/** `structured` is a whole JSON object. */
export const metaResult = (era: Era, text: string, structured: ByteText): ByteText =>
  write(era, text, { structuredContent: structured });

/** A mistake that the model can correct. 2025-11-25 requires a result for it, since clients hide errors from models. */
export const metaMistake = (era: Era, text: string): ByteText => write(era, text, { isError: 'true' });

const write = (era: Era, text: string, more: Readonly<Record<string, ByteText>>): ByteText =>
  writeMembers([], {
    content: `[{"type":"text","text":${quoted(text)}}]`,
    ...more,
    resultType: era === 'modern' ? '"complete"' : undefined,
  });
