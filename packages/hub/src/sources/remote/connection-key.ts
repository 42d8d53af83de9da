import type { Era } from '../../core/protocol.ts';
import type { ToolRequest } from '../../core/request.ts';

export type Isolation = 'shared' | 'caller' | 'session';

/** Requests with the same key share one connection. The server itself is the pool's owner. */
export function connectionKey(request: ToolRequest, era: Era, isolation: Isolation): string {
  switch (isolation) {
    case 'shared':
      return sharedKey(era);
    case 'caller':
      return `${era}/caller/${request.caller.id}`;
    case 'session':
      return `${era}/session/${request.caller.id}/${request.session ?? ''}`;
  }
}

/** Callers whose declared capabilities the connection does not need are served by one connection for all. */
export const sharedKey = (era: Era): string => (era === 'legacy' ? LEGACY_SHARED : MODERN_SHARED);

export const isSharedKey = (key: string): boolean => key === LEGACY_SHARED || key === MODERN_SHARED;

const LEGACY_SHARED = 'legacy/shared';
const MODERN_SHARED = 'modern/shared';
