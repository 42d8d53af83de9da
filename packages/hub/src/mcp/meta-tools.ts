/** Handles `tools/call` of `find_tools`, `describe_tool` and `call_tool`. */
import { mayUse } from '../core/caller.ts';
import type { CatalogReader, CatalogTool } from '../core/catalog/catalog.ts';
import { PincerError } from '../core/errors.ts';
import { nearestNames } from '../core/search/nearest-names.ts';
import { notExecuted, type Outcome } from '../core/outcome.ts';
import { BadParamsError } from '../core/call/route.ts';
import { fromByteText, parseBytes, type ByteText, toByteText } from '../core/wire/byte-text.ts';
import {
  DuplicateKeyError,
  findMember,
  isObject,
  readMembers,
  type Member,
  editMembers,
  isModest,
} from '../core/wire/members.ts';
import { plainString } from '../core/wire/message.ts';
import { type Asker, type ToolSurface, usableTools, writeTool } from './tool-surface.ts';
import { DEFAULT_HITS, MAX_HITS, META_TOOL, metaMistake, metaResult } from './meta-tools-definitions.ts';
import { createFindTools } from './meta-tools-find.ts';

/** A call of another tool, or an answer; with `waits`, give the answer after every server has sent its lists. */
export type MetaCall =
  | { readonly params: readonly Member[] }
  | { readonly waits: boolean; readonly answer: () => ByteText };

export interface MetaTools {
  /** Returns undefined if the tool belongs to a server. Throws BadParamsError. */
  read(params: readonly Member[], asker: Asker): MetaCall | undefined;
  /** Adds similar names to the outcome if the tool is unknown. */
  hinted(outcome: Outcome, params: readonly Member[], asker: Asker): Outcome;
}

const MAX_NEAREST = 5;
const META_NAMES: ReadonlySet<string> = new Set(Object.values(META_TOOL));

export function createMetaTools(catalog: CatalogReader, surface: ToolSurface): MetaTools {
  const findTools = createFindTools(catalog);

  /** A client may still use the other kind of list for a moment after the surface changes. */
  const isMeta = (name: string, asker: Asker): boolean =>
    META_NAMES.has(name) &&
    surface.maySearch(asker) &&
    (surface.kindFor(asker) === 'search' || resolve(name, asker) === undefined);

  function resolve(name: string, { caller, view }: Asker): CatalogTool | undefined {
    const tool = catalog.resolve(view, name);
    return tool !== undefined && mayUse(caller.scopes, tool) ? tool : undefined;
  }

  function find(given: readonly Member[], asker: Asker): MetaCall {
    const query = valueOf(given, 'query') ?? '';
    const limit = valueOf(given, 'limit') ?? DEFAULT_HITS;
    if (typeof query !== 'string' || typeof limit !== 'number')
      return mistake(asker, `${META_TOOL.find} takes {"query": "…", "limit": ${DEFAULT_HITS}}.`);
    const hits = Math.max(1, Math.min(MAX_HITS, Math.floor(limit)));
    return { waits: true, answer: () => findTools({ query, limit: hits }, asker) };
  }

  function describe(given: readonly Member[], asker: Asker): MetaCall {
    const name = valueOf(given, 'name');
    if (typeof name !== 'string') return mistake(asker, `${META_TOOL.describe} takes {"name": "…"}.`);
    return {
      waits: resolve(name, asker) === undefined,
      answer() {
        const tool = resolve(name, asker);
        if (tool === undefined) return metaMistake(asker.era, `${unknownText(name, asker)} ${NEXT_STEP}`);
        const definition = writeTool(tool.exposed, tool.definition, asker.era);
        return metaResult(asker.era, fromByteText(definition), `{"tool":${definition}}`);
      },
    };
  }

  function call(params: readonly Member[], given: readonly Member[], asker: Asker): MetaCall {
    const unwrapped = unwrapCall(params, given);
    return 'params' in unwrapped ? unwrapped : mistake(asker, unwrapped.mistake);
  }

  function unknownText(name: string, asker: Asker): string {
    if (META_NAMES.has(name)) return `Call ${name} by its own name.`;
    const names = usableTools(catalog, asker).map(({ exposed }) => exposed);
    const near = nearestNames(name, names, MAX_NEAREST);
    return `Unknown tool: ${name}${near.length === 0 ? '.' : ` (similar: ${near.join(', ')}).`}`;
  }

  return {
    read(params, asker) {
      const name = nameIn(params);
      if (name === undefined || !isMeta(name, asker)) return undefined;
      const given = argumentsIn(params);
      if (name === META_TOOL.find) return find(given, asker);
      return name === META_TOOL.describe ? describe(given, asker) : call(params, given, asker);
    },
    hinted(outcome, params, asker) {
      const name = isUnknownTool(outcome) && surface.maySearch(asker) ? nameIn(params) : undefined;
      if (name === undefined) return outcome;
      return notExecuted(new PincerError('TOOL_UNKNOWN', unknownText(name, asker), { hint: NEXT_STEP }));
    },
  };
}

const isUnknownTool = (outcome: Outcome): boolean =>
  outcome.kind === 'not_executed' && outcome.reason.code === 'TOOL_UNKNOWN';

const NEXT_STEP = `Search with ${META_TOOL.find}.`;

const mistake = ({ era }: Asker, text: string): MetaCall => ({
  waits: false,
  answer: () => metaMistake(era, text),
});

function nameIn(params: readonly Member[]): string | undefined {
  const raw = findMember(params, 'name');
  return raw?.startsWith('"') ? plainString(raw) : undefined;
}

function argumentsIn(params: readonly Member[]): readonly Member[] {
  const raw = findMember(params, 'arguments');
  if (raw === undefined) return [];
  if (!isObject(raw)) throw new BadParamsError('"params.arguments" must be an object.');
  try {
    return readMembers(raw);
  } catch (error) {
    // Policy and other readers could otherwise read different names from one call.
    if (error instanceof DuplicateKeyError) throw new BadParamsError(`"params.arguments": ${error.message}`);
    throw error;
  }
}

function valueOf(given: readonly Member[], key: string): unknown {
  const raw = findMember(given, key);
  return raw === undefined ? undefined : parseBytes(raw);
}

/** The members of `params` as if the tool had been called directly, or an error message. */
type Unwrapped = { readonly params: readonly Member[] } | { readonly mistake: string };

const SHAPE = `${META_TOOL.call} takes {"name": "…", "arguments": {…}}`;

/**
 * Unwraps `call_tool`: its arguments become the name and arguments of the real call. All other members of `params` are
 * kept, because they belong to the real call.
 */
export function unwrapCall(params: readonly Member[], given: readonly Member[]): Unwrapped {
  const name = findMember(given, 'name');
  if (!name?.startsWith('"')) return { mistake: `${SHAPE}, and "name" must be a string.` };
  const stray = given.find(({ key }) => key !== 'name' && key !== 'arguments');
  if (stray !== undefined)
    return { mistake: `${SHAPE}: ${JSON.stringify(stray.key)} belongs inside "arguments".` };
  const wrapped = findMember(given, 'arguments');
  const args = wrapped === undefined ? undefined : objectIn(wrapped);
  if (wrapped !== undefined && args === undefined)
    return { mistake: `${SHAPE}, and "arguments" must be an object.` };
  return { params: editMembers(params, { name, arguments: args }) };
}

/** Models often send an object of unknown shape as JSON text; it is parsed. */
function objectIn(raw: ByteText): ByteText | undefined {
  if (isObject(raw)) return raw;
  const text = raw.startsWith('"') ? toByteText(plainString(raw)).trim() : '';
  return isObject(text) && isModest(text) && isJson(text) ? text : undefined;
}

function isJson(text: ByteText): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
