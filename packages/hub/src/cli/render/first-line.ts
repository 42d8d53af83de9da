import { visible } from '../../core/visible.ts';

/** Of a description that somebody else wrote. */
export const firstLine = (text: unknown): string =>
  visible((typeof text === 'string' ? text : '').trim().split('\n', 1)[0]!.trim());
