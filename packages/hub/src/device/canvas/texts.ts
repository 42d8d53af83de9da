/** Failures of the browser in the words that are documented for the canvas. */
import { BrowserError } from '../browser/browser-error.ts';
import { cancelled, CommandFailure } from '../registry/failure.ts';

export const UNSUPPORTED_FORMAT = 'Unsupported canvas snapshot format. Supported formats: png, jpeg.';

/** What is missing or broken beneath the canvas; what a command itself got wrong has its own text, `otherwise`. */
export function canvasFailure(error: unknown, otherwise: string): unknown {
  if (!(error instanceof BrowserError)) return error;
  const details = { cause: error };
  switch (error.kind) {
    case 'missing':
      return new CommandFailure('Canvas not available', {
        ...details,
        notExecuted: true,
        hint: 'Install chromium, Google Chrome or Microsoft Edge, or set PINCER_BROWSER to its path.',
      });
    case 'start':
      return new CommandFailure('Canvas not available', {
        ...details,
        notExecuted: true,
        hint: 'The browser did not start; the log of the hub says why.',
      });
    case 'aborted':
      return cancelled(details);
    case 'gone':
      return new CommandFailure(otherwise, { ...details, hint: 'The browser has ended. Try again.' });
    case 'timeout':
      return new CommandFailure(otherwise, { ...details, hint: 'It took too long and was ended.' });
    case 'navigation':
      return new CommandFailure(otherwise, {
        ...details,
        hint: `The browser says ${error.message}. Names that lead to private addresses are refused.`,
      });
    case 'page':
    case 'refused':
      return new CommandFailure(otherwise, { ...details, hint: error.message });
  }
}

export async function inCanvasWords<T>(work: Promise<T>, otherwise: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw canvasFailure(error, otherwise);
  }
}
