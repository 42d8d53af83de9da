import { visible } from '../../core/visible.ts';
import type { Progress } from '../call/answer.ts';
import { fit } from './columns.ts';

/** One line, no wider than the terminal. */
export function renderProgress({ progress, total, message }: Progress, columns: number): string {
  const count = total === undefined ? String(progress) : `${progress}/${total}`;
  const share = total !== undefined && total > 0 ? ` ${Math.floor((progress / total) * 100)} %` : '';
  const line = `${count}${share}${message === undefined ? '' : ` ${visible(message)}`}`;
  return fit(line, columns - 1);
}
