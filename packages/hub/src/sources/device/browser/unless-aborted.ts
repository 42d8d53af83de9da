/** Work that goes on by itself; whoever waits for it may stop waiting. */
import { orAborted } from '../../../core/or-aborted.ts';
import { BrowserError } from './browser-error.ts';

export const unwanted = (): BrowserError => new BrowserError('aborted', 'Nobody waits for it any more.');

export const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
  orAborted(work, signal, unwanted);
