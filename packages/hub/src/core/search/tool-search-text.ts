/** The texts by which a search finds a tool. */
import { isRecord, valueAt } from '../../lib/record.ts';
import { asSchema } from '../schema/json-schema.ts';
import { parameterTexts, type Parameter, type TypeLimits } from '../schema/type-text.ts';
import { visible } from '../visible.ts';

export interface ToolText {
  /** Its name in the list of all servers. */
  readonly exposed: string;
  /** Its name at its server. */
  readonly name: string;
  readonly server: string;
  readonly title: string;
  readonly description: string;
  /** Names of its parameters, nested ones included. */
  readonly parameters: readonly string[];
  /** Descriptions of the parameters. */
  readonly explanations: readonly string[];
}

interface Named {
  readonly exposed: string;
  readonly name: string;
  readonly server: string;
}

/** `definition` is parsed but not validated. */
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

/** Limits per text and per tool. */
const MAX_CHARS = 4_000;
const MAX_PARAMETERS = 200;
/** Deeper parameters are not searched. */
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

const PARAGRAPH_END = /\r?\n[^\S\n]*\r?\n/;
/** A full stop before a lower-case letter belongs to an abbreviation such as "e.g." */
const SENTENCE_END = /[.!?](?=\s+[^\s\p{Ll}])|[。！？]/u;
/** Markdown signs at the beginning of a line. */
const HEADING = /^[#>*\s-]+/;

/** The first sentence of a description on one line, of at most `maxChars` characters. */
export function firstSentence(description: string, maxChars: number): string {
  const paragraph = description.trim().split(PARAGRAPH_END, 1)[0]!;
  const line = paragraph.replace(HEADING, '').replaceAll(/\s+/g, ' ').trim();
  const end = SENTENCE_END.exec(line);
  const sentence = end === null ? line : line.slice(0, end.index + 1);
  return sentence.length <= maxChars ? sentence : `${sentence.slice(0, maxChars - 1).trimEnd()}…`;
}

/** A longer signature omits optional parameters and ends with `…`. */
const MAX_SIGNATURE_CHARS = 400;
const SIGNATURE_LIMITS: TypeLimits = { maxParameters: 24, maxInnerParts: 8, maxTypes: 100 };

/**
 * A tool on one line, `name(a: string, b?: number)`, to call it without its whole definition. `inputSchema` is parsed.
 */
export function toolSignature(name: string, inputSchema: unknown): string {
  const parameters = parameterTexts(asSchema(inputSchema), SIGNATURE_LIMITS);
  const whole = writeSignature(name, parameters, '');
  if (whole.length <= MAX_SIGNATURE_CHARS) return whole;
  const needed = parameters.filter(({ isRequired }) => isRequired);
  const short = writeSignature(name, needed, needed.at(-1)?.text === '…' ? '' : '…');
  return short.length <= MAX_SIGNATURE_CHARS ? short : `${short.slice(0, MAX_SIGNATURE_CHARS - 2)}…)`;
}

const writeSignature = (name: string, parameters: readonly Parameter[], more: string): string =>
  visible(
    `${name}(${[...parameters.map(({ text }) => text), more].filter((text) => text !== '').join(', ')})`,
  );
