import type { ServerConfig } from '../../config/schema.ts';
import type { Era } from '../../core/protocol.ts';
import type { ToolRequest } from '../../core/request.ts';

const LEGACY_SHARED = 'legacy/shared';
const MODERN_SHARED = 'modern/shared';

/** Requests with the same key share one connection. The server itself is the pool's owner. */
export function connectionKey(request: ToolRequest, era: Era, isolation: ServerConfig['isolation']): string {
  switch (isolation) {
    case 'shared':
      return sharedKey(era);
    case 'caller':
      return `${era}/caller/${request.caller.id}`;
    case 'session':
      return `${era}/session/${request.caller.id}/${request.session ?? ''}`;
  }
}

/** Constants: a key made anew for each call would have to be hashed for each call. */
export const sharedKey = (era: Era): string => (era === 'legacy' ? LEGACY_SHARED : MODERN_SHARED);

export const isSharedKey = (key: string): boolean => key === LEGACY_SHARED || key === MODERN_SHARED;

export const eraOfKey = (key: string): Era => (key.startsWith('modern/') ? 'modern' : 'legacy');

/** The same connection, wished for in the legacy era. */
export const legacyKey = (key: string): string => key.replace(/^modern\//, 'legacy/');
