/** A line on stderr that shows what the command is waiting for and how long. Only on terminals; erased at the end. */
import { ERASE_LINE, forTerminal } from './output.ts';

export interface WaitingLine extends Disposable {
  /** Replaces the text and restarts the timer. */
  say(text: string): void;
  /** Writes permanent lines above it. */
  above(lines: readonly string[]): void;
}

const SHOW_AFTER_MS = 150;
/** Shorter times are not shown. */
const COUNT_FROM_S = 2;
const DEFAULT_COLUMNS = 80;

const SILENT: WaitingLine = {
  say: () => undefined,
  above: () => undefined,
  [Symbol.dispose]: () => undefined,
};

export function openWaitingLine(first: string, isQuiet: boolean): WaitingLine {
  const { stderr } = process;
  if (isQuiet || !stderr.isTTY) return SILENT;
  let text = first;
  let since = performance.now();
  let isShown = false;

  function draw(): void {
    isShown = true;
    const seconds = Math.floor((performance.now() - since) / 1_000);
    const end = seconds < COUNT_FROM_S ? ' …' : ` … ${seconds} s`;
    const room = (stderr.columns || DEFAULT_COLUMNS) - end.length - 1;
    stderr.write(`${ERASE_LINE}${text.slice(0, room)}${end}`);
  }
  function erase(): void {
    if (isShown) stderr.write(ERASE_LINE);
    isShown = false;
  }
  let timer = setTimeout(function redraw() {
    draw();
    timer = setTimeout(redraw, 1_000);
  }, SHOW_AFTER_MS);

  return {
    say(next) {
      text = next;
      since = performance.now();
      if (isShown) draw();
    },
    above(lines) {
      const wasShown = isShown;
      erase();
      stderr.write(lines.map((line) => `${forTerminal(line)}\n`).join(''));
      if (wasShown) draw();
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      erase();
    },
  };
}

export async function showWaiting<T>(text: string, work: Promise<T>, isQuiet: boolean): Promise<T> {
  using _line = openWaitingLine(text, isQuiet);
  return await work;
}
