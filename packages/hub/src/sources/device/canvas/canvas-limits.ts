import type { Limits } from '../../../core/limits.ts';
import type { A2uiLimits } from './a2ui/limits.ts';

/** What may be presented, run in the page and given back. */
export type ShowLimits = Pick<Limits, 'canvasEvalMs' | 'maxCanvasEvalBytes' | 'maxCanvasHtmlBytes'>;

export type CanvasLimits = A2uiLimits & ShowLimits & Pick<Limits, 'canvasIdleMs'>;
