import type { Limits } from '../../../core/limits.ts';

/** How long the browser may take, and how long it stays. */
export type BrowserLimits = Pick<Limits, 'browserStartMs' | 'browserIdleMs' | 'pageLoadMs' | 'canvasEvalMs'>;
