/** `x-mcp-header` in a tool's input schema (MCP 2026-07-28, "Custom Headers from Tool Parameters"). */
import { isRecord } from '../../lib/record.ts';

export interface HeaderParam {
  readonly path: readonly string[];
  /** `Mcp-Param-…`, in the server's spelling. */
  readonly header: string;
  readonly type: HeaderParamType;
}

export type HeaderParamType = 'string' | 'integer' | 'boolean';

export interface HeaderAnnotations {
  /** Arguments that are also sent as headers over HTTP in the modern era. */
  readonly headerParams: readonly HeaderParam[];
  /** Why the annotations are invalid. Over HTTP in the modern era such a tool must not be listed. */
  readonly headerProblem: string | undefined;
}

export const NO_ANNOTATIONS: HeaderAnnotations = { headerParams: [], headerProblem: undefined };

export const HEADER_ANNOTATION = 'x-mcp-header';
/** RFC 9110: 1*tchar. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: ReadonlySet<unknown> = new Set<HeaderParamType>(['string', 'integer', 'boolean']);
/** Deeper schemas are not searched: one hostile definition must not overflow the stack. */
const MAX_DEPTH = 128;

/** Keywords besides `properties` that hold a schema or a list of schemas. */
const SCHEMA_KEYWORDS = [
  'items',
  'prefixItems',
  'additionalItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'contentSchema',
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
];
/** Keywords that hold schemas by name. */
const NAMED_SCHEMA_KEYWORDS = [
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  '$defs',
  'definitions',
];

/** Returns the annotated arguments, or the first problem. */
export function readHeaderAnnotations(inputSchema: unknown): HeaderAnnotations {
  const search = new AnnotationSearch();
  search.visit(inputSchema, []);
  const { problem } = search;
  return { headerParams: problem === undefined ? search.found : [], headerProblem: problem };
}

class AnnotationSearch {
  readonly found: HeaderParam[] = [];
  problem: string | undefined;
  readonly #names = new Set<string>();

  /** `path` is undefined if the schema is not reachable through `properties` alone. */
  visit(schema: unknown, path: readonly string[] | undefined, depth = 0): void {
    if (!isRecord(schema) || this.problem !== undefined) return;
    if (depth > MAX_DEPTH) {
      this.problem = 'its input schema is nested too deeply to look for header annotations';
      return;
    }
    if (Object.hasOwn(schema, HEADER_ANNOTATION)) this.#take(schema, path);
    for (const [key, child] of entriesOf(schema['properties'])) {
      this.visit(child, path === undefined ? undefined : [...path, key], depth + 1);
    }
    for (const child of unreachableSchemas(schema)) this.visit(child, undefined, depth + 1);
  }

  #take(schema: Readonly<Record<string, unknown>>, path: readonly string[] | undefined): void {
    const name = schema[HEADER_ANNOTATION];
    const type = schema['type'];
    if (path === undefined || path.length === 0)
      this.problem = `${HEADER_ANNOTATION} is not reachable through "properties" alone`;
    else if (typeof name !== 'string' || !TOKEN.test(name))
      this.problem = `${HEADER_ANNOTATION} ${JSON.stringify(name)} is not a valid header name`;
    else if (!TYPES.has(type))
      this.problem = `${HEADER_ANNOTATION} "${name}" is on an argument that is neither string, integer nor boolean`;
    else if (this.#names.has(name.toLowerCase()))
      this.problem = `${HEADER_ANNOTATION} "${name}" is used twice`;
    else {
      this.#names.add(name.toLowerCase());
      this.found.push({ path, header: `Mcp-Param-${name}`, type: type as HeaderParamType });
    }
  }
}

const entriesOf = (value: unknown): [string, unknown][] => (isRecord(value) ? Object.entries(value) : []);

function unreachableSchemas(schema: Readonly<Record<string, unknown>>): unknown[] {
  return [
    ...SCHEMA_KEYWORDS.flatMap((keyword) => schema[keyword] ?? []),
    ...NAMED_SCHEMA_KEYWORDS.flatMap((keyword) => entriesOf(schema[keyword]).map(([, child]) => child)),
  ];
}
