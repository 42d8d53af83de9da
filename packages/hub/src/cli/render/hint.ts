import { visible } from '../../core/visible.ts';
import type { Style } from '../terminal/style.ts';

/** What to do, below what it is about; nothing where nobody knows. */
export const renderHint = (hint: string | undefined, style: Style): string[] =>
  hint === undefined ? [] : [`   ${style.bold('hint:')} ${visible(hint)}`];
