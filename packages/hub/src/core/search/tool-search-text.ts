/** What a search may find a tool by. */
import { isRecord } from '../../lib/is-record.ts';
import { valueAt } from '../../lib/value-at.ts';

export interface ToolText {
  /** Its name where all servers are shown together. */
  readonly exposed: string;
  /** As its server calls it. */
  readonly name: string;
  readonly server: string;
  readonly title: string;
  readonly description: string;
  /** Names of its parameters, also of those inside of others. */
  readonly parameters: readonly string[];
  /** What is said of them. */
  readonly explanations: readonly string[];
}

interface Named {
  readonly exposed: string;
  readonly name: string;
  readonly server: string;
}

/** `definition` is the parsed one: nothing in it is certain. */
export function readToolText({ exposed, name, server }: Named, definition: unknown): ToolText {
  const { title, description, annotations, inputSchema } = isRecord(definition) ? definition : {};
  const parameters: string[] = [];
  const explanations: string[] = [];
  collect(inputSchema, { parameters, explanations }, 0);
  return {
    exposed,
    name,
    server,
    title: textOf(title) || textOf(valueAt(annotations, ['title'])),
    description: textOf(description),
    parameters,
    explanations,
  };
}

/** Of one text, and of one tool: more is not looked into. */
const MAX_CHARS = 4_000;
const MAX_PARAMETERS = 200;
/** Deeper than this nobody looks for a parameter. */
const MAX_DEPTH = 4;

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, MAX_CHARS) : '');

function collect(
  schema: unknown,
  found: { parameters: string[]; explanations: string[] },
  depth: number,
): void {
  if (!isRecord(schema) || depth > MAX_DEPTH) return;
  const { properties, items } = schema;
  collect(items, found, depth + 1);
  if (!isRecord(properties)) return;
  for (const [name, inner] of Object.entries(properties)) {
    if (found.parameters.length >= MAX_PARAMETERS) return;
    found.parameters.push(textOf(name));
    if (isRecord(inner)) found.explanations.push(textOf(inner['description']));
    collect(inner, found, depth + 1);
  }
}
