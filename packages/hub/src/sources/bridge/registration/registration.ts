import type { ByteText } from '../../../core/wire/byte-text.ts';

/** An app that was let in, and what it offers in one conversation. What it did not say is undefined. */
export interface Registration {
  readonly deviceId: string | undefined;
  readonly deviceName: string | undefined;
  readonly appVersion: string | undefined;
  readonly chatId: string | undefined;
  /** No two have the same name. */
  readonly tools: readonly RegisteredTool[];
}

export interface RegisteredTool {
  readonly name: string;
  /** What the app calls the tool inside of itself; nobody else is told. */
  readonly path: string | undefined;
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** A JSON Schema of type object, as the bytes that came; `type` is added where it was left out. */
  readonly inputSchema: ByteText;
  readonly outputSchema: ByteText | undefined;
  readonly annotations: ByteText | undefined;
}
