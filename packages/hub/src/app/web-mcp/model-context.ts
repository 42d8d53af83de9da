/**
 * WebMCP as browsers and polyfills have it (webmachinelearning.github.io/webmcp). It is young, and has moved: from
 * `navigator` to `document`, and `executeTool`, which Chromium has, is not in the draft.
 */
import type { ToolAnnotations } from '../tool.ts';

/** What a page registers. */
export interface PageTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: object | string;
  readonly annotations?: ToolAnnotations;
  execute(args: unknown, client: PageClient): unknown;
}

/** What a tool is given beside its arguments; earlier drafts had the second. */
export interface PageClient {
  readonly signal: AbortSignal;
  requestUserInteraction<T>(interact: () => T): T;
}

/** What a page has registered, as it is listed. */
export type ListedTool = Omit<PageTool, 'execute'>;

export interface ModelContext {
  registerTool(tool: PageTool, options?: { readonly signal?: AbortSignal }): unknown;
  /** Of the draft. */
  getTools?(): Promise<readonly ListedTool[]>;
  addEventListener?(name: 'toolchange', listener: () => void): void;
  removeEventListener?(name: 'toolchange', listener: () => void): void;
  /** Of Chromium. The arguments were a text of JSON until version 155, and are an object from then on. */
  executeTool?(tool: ListedTool, args: unknown, options: { readonly signal: AbortSignal }): Promise<unknown>;
  /** Of earlier drafts. */
  unregisterTool?(name: string): unknown;
  provideContext?(context?: { readonly tools?: readonly PageTool[] }): unknown;
  clearContext?(): unknown;
}

interface Page {
  readonly document?: { readonly modelContext?: ModelContext };
  readonly navigator?: { readonly modelContext?: ModelContext };
}

export function findModelContext(page: Page = globalThis as unknown as Page): ModelContext | undefined {
  return page.document?.modelContext ?? page.navigator?.modelContext;
}
