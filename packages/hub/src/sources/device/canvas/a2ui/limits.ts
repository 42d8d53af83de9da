import type { Limits } from '../../../../core/limits.ts';

/** How much A2UI may be pushed and kept. */
export type A2uiLimits = Pick<
  Limits,
  | 'maxA2uiBytes'
  | 'maxA2uiLines'
  | 'maxA2uiLineBytes'
  | 'maxA2uiDepth'
  | 'maxA2uiDataEntries'
  | 'maxA2uiKeyChars'
  | 'maxA2uiStringChars'
  | 'maxA2uiSurfaces'
  | 'maxA2uiComponents'
  | 'maxA2uiStateBytes'
>;
