/** Follows the tools that a page registers by WebMCP, and offers them as tools of the app. */
import { onPageRead } from './page.ts';
import type { AppTool, ToolAnnotations, ToolCall } from './tool.ts';
import type { JsonSchema } from './schema.ts';

interface Watch {
  stop(): void;
}

/** Resolves to a function that stops following. */
type Follow = (context: ModelContext, onTools: (tools: AppTool[]) => void) => Promise<() => void>;

/**
 * Resolves after the already registered tools have been reported. A page may load a polyfill of WebMCP later, so the
 * function looks again when the page has loaded.
 */
export async function watchModelContext(
  onTools: (tools: readonly AppTool[]) => void,
  find: () => ModelContext | undefined = findModelContext,
): Promise<Watch> {
  let stop: (() => void) | undefined;
  let isStopped = false;
  const look = async (): Promise<void> => {
    const context = stop === undefined ? find() : undefined;
    if (context === undefined) return;
    stop = () => {};
    const follow: Follow = canList(context) ? followList : followRegistrations;
    // Ignores an implementation that fails: the app's own tools do not depend on it.
    stop = await follow(context, (tools) => !isStopped && onTools(tools)).catch(() => () => {});
    if (isStopped) stop();
  };
  const stopLooking = onPageRead(() => void look());
  await look();
  return {
    stop() {
      isStopped = true;
      stopLooking();
      stop?.();
    },
  };
}

const canList = (context: ModelContext): boolean =>
  context.getTools !== undefined && context.executeTool !== undefined;

/** For browsers and polyfills that list and run tools, such as Chromium. */
async function followList(context: ModelContext, onTools: (tools: AppTool[]) => void): Promise<() => void> {
  let asked = 0;
  const list = async (): Promise<void> => {
    const turn = ++asked;
    const listed = await context.getTools!().catch(() => []);
    // Answers may arrive out of order; only the latest request counts.
    if (turn !== asked) return;
    onTools(
      asTools(
        listed.map((tool) => ({
          tool,
          run: (args, { signal }) => context.executeTool!(tool, objectAndText(args), { signal }),
        })),
      ),
    );
  };
  const changed = (): void => void list();
  context.addEventListener?.('toolchange', changed);
  await list();
  return () => context.removeEventListener?.('toolchange', changed);
}

/** Some browsers accept an object. Others convert it to a string and parse that as JSON. */
function objectAndText(args: unknown): object {
  const text = JSON.stringify(args);
  return Object.defineProperty({ ...(args as object) }, Symbol.toPrimitive, { value: () => text });
}

/** For drafts that cannot list or run tools: observes new registrations, but no earlier ones. */
async function followRegistrations(
  context: ModelContext,
  onTools: (tools: AppTool[]) => void,
): Promise<() => void> {
  const tools = new Map<string, PageTool>();
  const tell = (): void =>
    onTools(
      asTools([...tools.values()].map((tool) => ({ tool, run: (args, call) => run(tool, args, call) }))),
    );
  const add = (tool: PageTool): void => void tools.set(tool.name, tool);

  const undo: (() => void)[] = [];
  /** Calls the page's own method first: if it throws, nothing is registered. */
  function after<K extends 'registerTool' | 'unregisterTool' | 'provideContext' | 'clearContext'>(
    name: K,
    then: (...args: Parameters<NonNullable<ModelContext[K]>>) => void,
  ): void {
    const original = context[name] as ((...args: unknown[]) => unknown) | undefined;
    if (original === undefined) return;
    const isOwn = Object.hasOwn(context, name);
    const value = (...args: Parameters<NonNullable<ModelContext[K]>>): unknown => {
      const result = original.apply(context, args);
      then(...args);
      tell();
      return result;
    };
    Object.defineProperty(context, name, { value, configurable: true, writable: true });
    undo.push(() => {
      if (isOwn)
        Object.defineProperty(context, name, { value: original, configurable: true, writable: true });
      else Reflect.deleteProperty(context, name);
    });
  }

  after('registerTool', (tool, options) => {
    add(tool);
    options?.signal?.addEventListener('abort', () => {
      if (tools.get(tool.name) !== tool) return;
      tools.delete(tool.name);
      tell();
    });
  });
  after('unregisterTool', (name) => void tools.delete(name));
  after('provideContext', (given) => {
    tools.clear();
    for (const tool of given?.tools ?? []) add(tool);
  });
  after('clearContext', () => tools.clear());
  return () => {
    for (const back of undo) back();
  };
}

const run = (tool: PageTool, args: unknown, { signal }: ToolCall): unknown =>
  tool.execute(args, { signal, requestUserInteraction: (interact) => interact() });

interface Runnable {
  readonly tool: ListedTool;
  run(args: unknown, call: ToolCall): unknown;
}

/** Makes names valid for models. If two become the same, the later one gets a number. */
function asTools(found: readonly Runnable[]): AppTool[] {
  const taken = new Set<string>();
  return found.map(({ tool, run }) => {
    const name = freeName(tool.name, taken);
    taken.add(name);
    const { title, description = '', annotations } = tool;
    return {
      name,
      ...(title !== undefined && title !== '' && { title }),
      description,
      input: schemaOf(tool.inputSchema),
      ...(annotations !== undefined && { annotations: { ...annotations } }),
      run: async (args, call) => resultOf(await run(args, call)),
    };
  });
}

const MAX_NAME = 64;

function freeName(name: string, taken: ReadonlySet<string>): string {
  const safe = name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_NAME);
  for (let count = 1; ; count++) {
    const suffix = count === 1 ? '' : `_${count}`;
    const free = safe.slice(0, MAX_NAME - suffix.length) + suffix;
    if (!taken.has(free)) return free;
  }
}

/** Accepts an object or JSON text. Anything that is not a schema of an object becomes an open one. */
function schemaOf(schema: object | string | undefined): JsonSchema {
  const value = typeof schema === 'string' ? parsed(schema) : schema;
  const isOfObject =
    typeof value === 'object' &&
    value !== null &&
    ['object', undefined].includes((value as JsonSchema).type as string);
  return isOfObject ? (value as JsonSchema) : { type: 'object' };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A tool result of MCP, which many pages return. */
interface McpResult {
  readonly content: readonly { readonly type: string; readonly text?: unknown }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** `executeTool` returns text: JSON if the tool returned an object, else the string itself. */
function resultOf(given: unknown): unknown {
  const value = typeof given === 'string' ? valueOf(given) : given;
  if (!isMcpResult(value)) return value ?? undefined;
  if (value.isError === true) throw new Error(textOf(value));
  return value.structuredContent ?? value.content;
}

/** A tool without a result yields the text "undefined". */
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

/** A tool that a page registers. */
export interface PageTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: object | string;
  readonly annotations?: ToolAnnotations;
  execute(args: unknown, client: PageClient): unknown;
}

/** The second argument of a tool; `requestUserInteraction` is from earlier drafts. */
interface PageClient {
  readonly signal: AbortSignal;
  requestUserInteraction<T>(interact: () => T): T;
}

/** A registered tool, as it is listed. */
export type ListedTool = Omit<PageTool, 'execute'>;

/** webmachinelearning.github.io/webmcp. The draft has moved from `navigator` to `document`; `executeTool` is in Chromium only. */
export interface ModelContext {
  registerTool(tool: PageTool, options?: { readonly signal?: AbortSignal }): unknown;
  /** In the draft. */
  getTools?(): Promise<readonly ListedTool[]>;
  addEventListener?(name: 'toolchange', listener: () => void): void;
  removeEventListener?(name: 'toolchange', listener: () => void): void;
  /** In Chromium. The arguments are JSON text until version 155, and an object from then on. */
  executeTool?(tool: ListedTool, args: unknown, options: { readonly signal: AbortSignal }): Promise<unknown>;
  /** In earlier drafts. */
  unregisterTool?(name: string): unknown;
  provideContext?(context?: { readonly tools?: readonly PageTool[] }): unknown;
  clearContext?(): unknown;
}

interface Page {
  readonly document?: { readonly modelContext?: ModelContext };
  readonly navigator?: { readonly modelContext?: ModelContext };
}

function findModelContext(page: Page = globalThis as unknown as Page): ModelContext | undefined {
  return page.document?.modelContext ?? page.navigator?.modelContext;
}
