import { visible } from '../../core/visible.ts';
import type { Progress } from '../call/answer.ts';

/** One line, no wider than the terminal. */
export function renderProgress({ progress, total, message }: Progress, columns: number): string {
  const count = total === undefined ? String(progress) : `${progress}/${total}`;
  const share = total !== undefined && total > 0 ? ` ${Math.floor((progress / total) * 100)} %` : '';
  const line = `${count}${share}${message === undefined ? '' : ` ${visible(message)}`}`;
  return line.length < columns ? line : `${line.slice(0, Math.max(0, columns - 2))}…`;
}
