import type { ToolSurface } from '../../packages/hub/src/mcp/tool-surface.ts';

/** Shows every tool, as by default. */
export const FULL_SURFACE: ToolSurface = { kindFor: () => 'full', maySearch: () => false };
