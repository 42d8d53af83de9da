import type { ToolSurface } from '../../packages/hub/src/mcp/tool-surface.ts';

/** Every tool is shown, as by default. */
export const FULL_SURFACE: ToolSurface = { kindFor: () => 'full', maySearch: () => false };
