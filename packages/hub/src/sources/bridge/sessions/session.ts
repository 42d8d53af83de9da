/** What an app has registered, and what is known of it. */
import type { ByteText } from '../../../core/wire/byte-text.ts';

/** A tool of an app. All of it is text, so that equal ones are seen to be equal and can be shared. */
export interface AppTool {
  readonly name: string;
  readonly path: string | undefined;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly inputSchema: ByteText;
  readonly outputSchema: ByteText | undefined;
  readonly annotations: ByteText | undefined;
}

/** What the app says of itself. Whoever read it has checked it and detached it from the message: all of it is kept. */
export interface Registration {
  readonly deviceId: string | undefined;
  readonly deviceName: string | undefined;
  readonly appVersion: string | undefined;
  readonly chatId: string | undefined;
  readonly tools: readonly AppTool[];
}

/** The connection over which the app runs its tools. */
export interface Bridge {
  /** Of its session; grows with each bridge, across restarts too. */
  readonly epoch: number;
}

/** The book's own, and always as it is now. One that has ended stays as it was when it did. */
export interface Session extends Registration {
  readonly id: string;
  readonly app: string;
  readonly bridge: Bridge | undefined;
}

export type SessionChange =
  | { readonly kind: 'created' | 'removed' | 'expired' | 'tools' | 'detached'; readonly session: Session }
  /** A bridge that was there has been replaced, and is to be told so. */
  | { readonly kind: 'attached'; readonly session: Session; readonly previous: Bridge | undefined };
