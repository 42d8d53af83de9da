import type { StoredAppSession, StoredAppTool } from '../../../core/ports.ts';

/** An app that was let in, and what it offers in one conversation. What it did not say is undefined. */
export type Registration = Pick<
  StoredAppSession,
  'deviceId' | 'deviceName' | 'appVersion' | 'chatId' | 'tools'
>;

/**
 * No two of a registration have the same name. `path` is what the app calls the tool inside of itself; nobody else is told.
 * `inputSchema` is a JSON Schema of type object as the bytes that came; `type` is added where it was left out.
 */
export type RegisteredTool = StoredAppTool;
