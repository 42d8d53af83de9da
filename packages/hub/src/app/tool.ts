/** The definition of a tool. */
import type { ContentBlock } from './content.ts';
import type { ArgsOf, ResultOf, Schema } from './schema.ts';

export interface ToolCall {
  /**
   * Aborted if the caller cancels or the app calls `close()`. A lost bridge aborts nothing: the call continues, but its
   * result is dropped, because the caller was told already that the outcome is unknown.
   */
  readonly signal: AbortSignal;
  readonly requestId: string;
  /** Reports progress to the caller. Throttled: of several quick reports, only the last one is sent. */
  progress(done: number, total?: number, message?: string): void;
}

export interface ToolAnnotations {
  readonly title?: string | undefined;
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
}

export interface ToolDefinition<Input extends Schema = Schema, Output extends Schema = Schema> {
  /** 1 to 64 letters, digits, _ or -. In a record of tools the key is the name. */
  readonly name?: string | undefined;
  readonly title?: string | undefined;
  /** For the model: what the tool does, and when to use it. */
  readonly description: string;
  /** A JSON Schema of an object, or a schema of a library such as zod 4.2, which also validates the arguments here. */
  readonly input?: Input | undefined;
  readonly output?: Output | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  /**
   * Returns any JSON value, or blocks made by `text`, `image` and `audio`. If it throws, the caller gets the message.
   */
  run(args: ArgsOf<Input>, call: ToolCall): Result<Output> | Promise<Result<Output>>;
}

type Result<Output> = ResultOf<Output> | ContentBlock | readonly ContentBlock[];

/** A tool with any arguments. */
export type AppTool = ToolDefinition;

/** By name, or as a list of tools with names. */
export type AppTools = Readonly<Record<string, AppTool>> | readonly AppTool[];

/** Gives the arguments of `run` the types of `input`. */
export const tool = <const Input extends Schema, const Output extends Schema = Schema>(
  definition: ToolDefinition<Input, Output>,
): AppTool => definition as unknown as AppTool;
