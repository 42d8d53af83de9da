/** The tools of an app: their registration, how each one runs, and whether the proxy knows the latest list. */
import { AppError, messageOf } from './error.ts';
import { isStandard, validated } from './schema.ts';
import type { AppTool, AppTools, ToolCall } from './tool.ts';

/** An entry of `tools` of a registration. */
export interface RegisteredTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly input_schema: object;
  readonly output_schema?: object;
  readonly annotations?: object;
}

export interface ToolSet {
  readonly registered: readonly RegisteredTool[];
  run(name: string, args: unknown, call: ToolCall): Promise<unknown>;
}

/** A tool of `own` wins over one of `more` with the same name. Throws if `own` has a name twice. */
export function toolSetOf(own: AppTools, more: readonly AppTool[] = []): ToolSet {
  const byName = new Map<string, AppTool>();
  for (const [name, tool] of named(own)) {
    if (byName.has(name)) throw invalid(`Two tools are called "${name}".`, 'Give each tool a unique name.');
    byName.set(name, tool);
  }
  for (const [name, tool] of named(more)) if (!byName.has(name)) byName.set(name, tool);
  const registered = [...byName].map(([name, tool]) => registration(name, tool));
  return {
    registered,
    async run(name, args, call) {
      const tool = byName.get(name);
      if (tool === undefined) throw new Error(`This app no longer has a tool "${name}".`);
      const { input } = tool;
      const fit = input !== undefined && isStandard(input) ? await validated(input, args) : args;
      return tool.run(fit as Record<string, unknown>, call);
    },
  };
}

const invalid = (message: string, hint: string): AppError =>
  new AppError('ARGUMENT_INVALID', message, { hint });

function named(tools: AppTools): (readonly [string, AppTool])[] {
  if (!isList(tools)) return Object.entries(tools).map(([key, tool]) => [tool.name ?? key, tool]);
  return tools.map((tool, at) => {
    if (tool.name !== undefined) return [tool.name, tool];
    throw invalid(`The tool at index ${at} of the list has no name.`, 'Give it one, or use a record.');
  });
}

const isList = (tools: AppTools): tools is readonly AppTool[] => Array.isArray(tools);

function registration(name: string, tool: AppTool): RegisteredTool {
  const { title, description, output, annotations } = tool;
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    input_schema: jsonSchemaOf(name, tool.input ?? { type: 'object' }, 'input'),
    ...(output !== undefined && { output_schema: jsonSchemaOf(name, output, 'output') }),
    ...(annotations !== undefined && { annotations }),
  };
}

const LIBRARY_HINT = 'Use a library that can write its schemas as JSON Schema, such as zod 4.2 or later.';

function jsonSchemaOf(name: string, schema: object, side: 'input' | 'output'): object {
  if (!isStandard(schema)) return schema;
  const { jsonSchema, vendor } = schema['~standard'];
  if (typeof jsonSchema?.[side] !== 'function')
    throw invalid(
      `The ${side} schema of "${name}" (${vendor}) cannot be written as JSON Schema.`,
      LIBRARY_HINT,
    );
  try {
    return jsonSchema[side]({ target: 'draft-2020-12' });
  } catch (error) {
    throw invalid(
      `The ${side} schema of "${name}" cannot be written as JSON Schema: ${messageOf(error)}`,
      'Use only types that JSON has.',
    );
  }
}

interface Offer {
  readonly tools: ToolSet;
  setOwn(tools: AppTools): void;
  setFromPage(tools: readonly AppTool[]): void;
  /** A session was created with the current tools. */
  registered(): void;
  /** The proxy may know other tools, or none. */
  unknown(): void;
  /** Sends the tools if they have changed. */
  sendChanges(): void;
}

/** `send` returns false if no bridge is open; the tools are then sent when one opens. */
export function createOffer(initial: AppTools, send: (text: string) => boolean): Offer {
  let own = initial;
  let fromPage: readonly AppTool[] = [];
  let tools = toolSetOf(own);
  let sent = '';

  const text = (): string => JSON.stringify({ type: 'tools_changed', tools: tools.registered });
  const sendChanges = (): void => {
    const now = text();
    if (now !== sent && send(now)) sent = now;
  };
  return {
    get tools() {
      return tools;
    },
    setOwn(next) {
      tools = toolSetOf(next, fromPage);
      own = next;
      sendChanges();
    },
    setFromPage(next) {
      tools = toolSetOf(own, next);
      fromPage = next;
      sendChanges();
    },
    registered: () => void (sent = text()),
    unknown: () => void (sent = ''),
    sendChanges,
  };
}
