/** A word on stderr while something takes its time; terminals only, gone when it is over. */
import { ERASE_LINE } from './output.ts';

const SHOW_AFTER_MS = 150;

export async function showWaiting<T>(text: string, work: Promise<T>, isQuiet: boolean): Promise<T> {
  const { stderr } = process;
  if (isQuiet || !stderr.isTTY) return work;
  let isShown = false;
  const timer = setTimeout(() => {
    isShown = true;
    stderr.write(`${text} …`);
  }, SHOW_AFTER_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
    if (isShown) stderr.write(ERASE_LINE);
  }
}
