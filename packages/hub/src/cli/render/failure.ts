import { docsLink, type PincerError } from '../../core/errors.ts';
import { visibleBlock } from '../../core/visible.ts';
import type { Style } from '../terminal/style.ts';

/** A sentence, the next step, and where to read more. */
export function renderFailure({ code, message, hint }: PincerError, style: Style): string {
  const lines = [style.red(visibleBlock(message))];
  if (hint !== undefined) lines.push(`${style.bold('hint:')} ${visibleBlock(hint)}`);
  lines.push(style.dim(`docs: ${docsLink(code)}`));
  return `${lines.join('\n')}\n`;
}
