/** `pincer/app`: for apps, in Node and in browsers, whose functions are to be tools of a conversation. */
export { connect } from './connect.ts';
export { audio, image, text, type ContentBlock, type MediaBlock, type TextBlock } from './content.ts';
export { AppError } from './error.ts';
export type { ArgsOf, FromJsonSchema, JsonSchema, ResultOf, Schema } from './infer.ts';
export type { AppConnection, ConnectOptions } from './options.ts';
export type { SessionStorage } from './remember.ts';
export type { StandardSchema } from './standard-schema.ts';
export type { Status, StatusChange } from './status.ts';
export { APP_TIMES, type AppTimes } from './times.ts';
export {
  tool,
  type AppTool,
  type AppTools,
  type ToolAnnotations,
  type ToolCall,
  type ToolDefinition,
} from './tool.ts';
