/** `pincer/app`: offers functions of an app, in Node or a browser, as tools. */
export { connect } from './connect.ts';
export { audio, image, text, type ContentBlock, type MediaBlock, type TextBlock } from './content.ts';
export { AppError } from './error.ts';
export {
  APP_TIMES,
  type AppConnection,
  type AppTimes,
  type ConnectOptions,
  type Status,
  type StatusChange,
} from './options.ts';
export type { ArgsOf, FromJsonSchema, JsonSchema, ResultOf, Schema, StandardSchema } from './schema.ts';
export type { SessionStorage } from './session-memory.ts';
export {
  tool,
  type AppTool,
  type AppTools,
  type ToolAnnotations,
  type ToolCall,
  type ToolDefinition,
} from './tool.ts';
