/**
 * What a test did once more, because the machine or the host was not ready. Each repeat has a bound where it is made;
 * here it is counted, so that a run says how often it happened: the last lines of `npm test` have the numbers.
 */
import { appendFileSync } from 'node:fs';

const FILE = process.env['PINCER_TEST_REPEATS'];

/** @param what The kind of repeat, the same words each time. @param about This one. */
export function reportRepeat(what: string, about: string): void {
  if (FILE === undefined) console.warn(`repeated: ${what} (${about})`);
  else appendFileSync(FILE, `${JSON.stringify({ what, about })}\n`);
}
