/** `find_tools`: searches the tools that a caller may use. */
import type { CatalogReader, CatalogTool } from '../core/catalog/catalog.ts';
import { firstSentence, readToolText, toolSignature } from '../core/search/tool-search-text.ts';
import { isRecord } from '../lib/record.ts';
import { nearestNames } from '../core/search/nearest-names.ts';
import { createToolSearch, readToolWords, type ToolWords } from '../core/search/tool-search.ts';
import type { ToolDefinition } from '../core/catalog/tool-definition.ts';
import { visible } from '../core/visible.ts';
import { jsonBytes, parseBytes, type ByteText } from '../core/wire/byte-text.ts';
import { type Asker, usableTools } from './tool-surface.ts';
import { META_TOOL, metaResult } from './meta-tools-definitions.ts';

export interface FindRequest {
  readonly query: string;
  readonly limit: number;
}

export type FindTools = (request: FindRequest, asker: Asker) => ByteText;

interface Shelf {
  readonly tools: readonly CatalogTool[];
  find(query: string): Found;
}

interface Found {
  readonly tools: readonly CatalogTool[];
  /** Even the best match has only few of the words. */
  readonly isPoor: boolean;
}

/** Limit of the cache: an index takes as much memory as the descriptions in it. */
const MAX_SHELVES = 32;
const MAX_DESCRIPTION_CHARS = 200;
const MAX_NEAREST = 3;
const MAX_SERVERS = 40;

export function createFindTools(catalog: CatalogReader): FindTools {
  const shelves = new Map<string, Shelf>();
  catalog.onChange(() => shelves.clear());
  /** Keyed by definition: a change of one server keeps the words of all others. */
  const known = new WeakMap<ToolDefinition, { readonly exposed: string; readonly words: ToolWords }>();

  function wordsOf(tool: CatalogTool): ToolWords {
    const { exposed, definition } = tool;
    let read = known.get(definition);
    if (read?.exposed !== exposed) {
      read = { exposed, words: readToolWords(readToolText(tool, parseBytes(definition.raw))) };
      known.set(definition, read);
    }
    return read.words;
  }

  function shelfFor(asker: Asker): Shelf {
    const key = JSON.stringify(asker.caller.scopes);
    let shelf = shelves.get(key);
    if (shelf === undefined) {
      shelf = createShelf(usableTools(catalog, asker), wordsOf);
      if (shelves.size >= MAX_SHELVES) shelves.clear();
      shelves.set(key, shelf);
    }
    return shelf;
  }

  return ({ query, limit }, asker) => {
    const shelf = shelfFor(asker);
    const wanted = query.trim();
    // A query without words returns the first tools by name.
    const { tools, isPoor } = /[\p{L}\p{N}]/u.test(wanted)
      ? shelf.find(wanted)
      : { tools: byName(shelf.tools), isPoor: false };
    const hits = tools.slice(0, limit).map(readHit);
    const advice =
      hits.length === 0
        ? noneFound(wanted, shelf.tools)
        : goOn(tools.length - hits.length, isPoor, shelf.tools);
    const text = [...hits.map(hitText), advice].join('\n');
    return metaResult(asker.era, text, jsonBytes({ tools: hits, total: tools.length, advice }));
  };
}

/** A match with half of the words or fewer is a poor one. */
const MIN_SHARE = 0.5;

function createShelf(tools: readonly CatalogTool[], wordsOf: (tool: CatalogTool) => ToolWords): Shelf {
  const search = createToolSearch(tools.map(wordsOf));
  return {
    tools,
    find(query) {
      const matches = search.find(query);
      return {
        tools: matches.map(({ place }) => tools[place]!),
        isPoor: matches.every(({ share }) => share <= MIN_SHARE),
      };
    },
  };
}

const byName = (tools: readonly CatalogTool[]): readonly CatalogTool[] =>
  tools.toSorted((a, b) => (a.exposed < b.exposed ? -1 : 1));

interface Hit {
  readonly name: string;
  readonly signature: string;
  readonly description: string;
}

function readHit({ exposed, definition }: CatalogTool): Hit {
  const parsed = parseBytes(definition.raw);
  const { description, inputSchema } = isRecord(parsed) ? parsed : {};
  return {
    name: exposed,
    signature: toolSignature(exposed, inputSchema),
    description: visible(
      firstSentence(typeof description === 'string' ? description : '', MAX_DESCRIPTION_CHARS),
    ),
  };
}

/** A server's description is on its own indented line, so it cannot pass for another tool. */
const hitText = ({ signature, description }: Hit): string =>
  description === '' ? signature : `${signature}\n    ${description}`;

function goOn(more: number, isPoor: boolean, all: readonly CatalogTool[]): string {
  return [
    more === 0
      ? ''
      : `${more} more ${more === 1 ? 'matches' : 'match'}: use narrower words or a larger "limit".`,
    isPoor ? `None matches well. ${otherWords(all)}` : '',
    `Call a tool with ${META_TOOL.call} {"name": …, "arguments": {…}}; ` +
      `${META_TOOL.describe} {"name": …} returns its full definition.`,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

function noneFound(query: string, tools: readonly CatalogTool[]): string {
  if (tools.length === 0) return 'You may not use any tool. Tell the person who set up this hub.';
  const names = tools.map(({ exposed }) => exposed);
  const near = nearestNames(query, names, MAX_NEAREST);
  return [
    `No tool matches ${JSON.stringify(visible(query.slice(0, MAX_DESCRIPTION_CHARS)))}.`,
    ...(near.length === 0 ? [] : [`Similar names: ${near.join(', ')}.`]),
    otherWords(tools),
  ].join(' ');
}

const otherWords = (tools: readonly CatalogTool[]): string =>
  `Describe in other words what the tool should do, or name a server: ${serversText(tools)}.`;

function serversText(tools: readonly CatalogTool[]): string {
  const byServer = [...Map.groupBy(tools, ({ server }) => server)];
  const named = byServer
    .slice(0, MAX_SERVERS)
    .map(([server, { length }]) => `${server} (${length} ${length === 1 ? 'tool' : 'tools'})`);
  const more = byServer.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
