/** Progress on stderr, on one line that is gone when the call has ended. */
import { ERASE_LINE } from '../terminal/output.ts';
import { renderProgress } from '../render/progress.ts';
import type { Progress } from './answer.ts';

/** Some terminals do not say. */
const DEFAULT_COLUMNS = 80;

export interface ProgressLine {
  readonly show: (progress: Progress) => void;
  readonly clear: () => void;
}

export function createProgressLine(stream: NodeJS.WriteStream): ProgressLine {
  let isShown = false;
  return {
    show(progress) {
      isShown = true;
      stream.write(`${ERASE_LINE}${renderProgress(progress, stream.columns || DEFAULT_COLUMNS)}`);
    },
    clear() {
      if (isShown) stream.write(ERASE_LINE);
    },
  };
}
