/** Why the browser could not do it. The text is short and for people; it may hold words of a page, so it is no place for secrets. */

/**
 * `missing`: there is no browser here. `start`: it did not start. `gone`: it, or the page, has ended. `timeout` and
 * `aborted`: nobody waits any more. `page`: a script of the page has thrown. `navigation`: the address cannot be shown.
 * `refused`: the browser does not take the command, or its answer is too large.
 */
export type BrowserErrorKind =
  | 'missing'
  | 'start'
  | 'gone'
  | 'timeout'
  | 'aborted'
  | 'page'
  | 'navigation'
  | 'refused';

export class BrowserError extends Error {
  readonly kind: BrowserErrorKind;

  constructor(kind: BrowserErrorKind, text: string, cause?: unknown) {
    super(text, cause === undefined ? undefined : { cause });
    this.name = 'BrowserError';
    this.kind = kind;
  }
}

export const isBrowserError = (error: unknown, kind?: BrowserErrorKind): error is BrowserError =>
  error instanceof BrowserError && (kind === undefined || error.kind === kind);

/** For a wait that its caller has aborted. */
export const unwanted = (): BrowserError => new BrowserError('aborted', 'Nobody waits for it any more.');
