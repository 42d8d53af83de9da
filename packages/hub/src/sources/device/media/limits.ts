import type { Limits } from '../../../core/limits.ts';

/** What a clip may cost. */
export type MediaLimits = Pick<Limits, 'maxClipBytes'>;
