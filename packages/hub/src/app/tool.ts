/** What an app lets others do. */
import type { ContentBlock } from './content.ts';
import type { ArgsOf, ResultOf, Schema } from './schema.ts';

export interface ToolCall {
  /**
   * Aborted when the caller has cancelled, or when the connection was closed by `close()`. A bridge that is lost aborts
   * nothing: what runs goes on, but its result is dropped, because the caller has been told already that nobody knows
   * how it ended.
   */
  readonly signal: AbortSignal;
  readonly requestId: string;
  /** Tells the caller how far it is. Of words in quick succession the last one counts. */
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
  /** Of an object. A JSON Schema, or a schema of a library such as zod 4.2; that one also checks the arguments. */
  readonly input?: Input | undefined;
  readonly output?: Output | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  /**
   * What it gives back is any JSON value, or blocks made by `text`, `image` and `audio`. What it throws is told to the
   * caller by its message.
   */
  run(args: ArgsOf<Input>, call: ToolCall): Result<Output> | Promise<Result<Output>>;
}

type Result<Output> = ResultOf<Output> | ContentBlock | readonly ContentBlock[];

/** A tool, whatever its arguments are. */
export type AppTool = ToolDefinition;

/** By name, or as a list in which each has one. */
export type AppTools = Readonly<Record<string, AppTool>> | readonly AppTool[];

/** Gives the arguments of `run` the types of `input`. */
export const tool = <const Input extends Schema, const Output extends Schema = Schema>(
  definition: ToolDefinition<Input, Output>,
): AppTool => definition as unknown as AppTool;
