import { visible } from '../../core/visible.ts';

/** Of a description that somebody else wrote. */
export const firstLine = (text: string | undefined): string =>
  visible((text ?? '').trim().split('\n', 1)[0]!.trim());
